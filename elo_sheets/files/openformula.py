"""Formulas of OpenDocument (OpenFormula, ISO/IEC 26300-2) in Excel's spelling.

`of:=[.A1]*[$Log.$B$2]` becomes `A1*Log!$B$2`, semicolons between arguments become commas, and functions get the names
that an .xlsx file has for them, `_xlfn.` and all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

_NEWER = frozenset(
    """
    ACOT ACOTH AGGREGATE ARABIC BASE BITAND BITLSHIFT BITOR BITRSHIFT BITXOR CEILING.MATH CEILING.PRECISE COMBINA CONCAT
    COT COTH CSC CSCH DAYS DECIMAL ENCODEURL FILTERXML FLOOR.MATH FLOOR.PRECISE FORMULATEXT GAUSS IFNA IFS ISFORMULA
    ISOWEEKNUM MAXIFS MINIFS MUNIT NUMBERVALUE PDURATION PERMUTATIONA PHI RRI SEC SECH SHEET SHEETS SKEW.P SWITCH
    TEXTJOIN UNICHAR UNICODE WEBSERVICE XOR
    BETA.DIST BETA.INV BINOM.DIST BINOM.DIST.RANGE BINOM.INV CHISQ.DIST CHISQ.DIST.RT CHISQ.INV CHISQ.INV.RT CHISQ.TEST
    CONFIDENCE.NORM CONFIDENCE.T COVARIANCE.P COVARIANCE.S EXPON.DIST ERF.PRECISE ERFC.PRECISE F.DIST F.DIST.RT F.INV
    F.INV.RT F.TEST GAMMA GAMMA.DIST GAMMA.INV GAMMALN.PRECISE HYPGEOM.DIST LOGNORM.DIST LOGNORM.INV MODE.MULT MODE.SNGL
    NEGBINOM.DIST NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV PERCENTILE.EXC PERCENTILE.INC PERCENTRANK.EXC
    PERCENTRANK.INC POISSON.DIST QUARTILE.EXC QUARTILE.INC RANK.AVG RANK.EQ STDEV.P STDEV.S T.DIST T.DIST.2T T.DIST.RT
    T.INV T.INV.2T T.TEST VAR.P VAR.S WEIBULL.DIST Z.TEST FORECAST.ETS FORECAST.LINEAR
    BYCOL BYROW CHOOSECOLS CHOOSEROWS DROP EXPAND HSTACK LAMBDA LET MAKEARRAY MAP RANDARRAY REDUCE SCAN SEQUENCE SORTBY
    TAKE TEXTAFTER TEXTBEFORE TEXTSPLIT TOCOL TOROW UNIQUE VSTACK WRAPCOLS WRAPROWS XLOOKUP XMATCH
    """.split()
) - {"AGGREGATE"}
_SPREADING = {"FILTER": "_xlfn._xlws.FILTER", "SORT": "_xlfn._xlws.SORT"}
_OTHER_NAMES = {
    "FORMULA": "FORMULATEXT",
    "B": "BINOM.DIST.RANGE",
    "SKEWP": "SKEW.P",
    "GAMMALN.PRECISE": "GAMMALN.PRECISE",
    "NETWORKDAYS.INTL": "NETWORKDAYS.INTL",
    "ERRORTYPE": "ERROR.TYPE",
    "MULTIPLE.OPERATIONS": "MULTIPLE.OPERATIONS",
    "USDOLLAR": "DOLLAR",
}
_VENDORS = re.compile(
    r"(?:COM\.MICROSOFT|COM\.SUN\.STAR\.SHEET\.ADDIN\.\w+?|ORG\.(?:LIBREOFFICE|OPENOFFICE|GNUMERIC)|LEGACY)\."
)
_ADDIN = re.compile(r"^GET(?=[A-Z])")

_TOKEN = re.compile(
    r"""
      (?P<text>"(?:[^"]|"")*")
    | (?P<reference>\[(?:[^\]']|'(?:[^']|'')*')*\])
    | (?P<quoted>'(?:[^']|'')*')
    | (?P<error>\#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A))
    | (?P<logical>(?:TRUE|FALSE)\s*\(\s*\))
    | (?P<function>(?<![\w.])[^\W\d][\w.]*)(?=\s*\()
    | (?P<mark>[;|{}~!])
    """,
    re.VERBOSE,
)
_SHEET = r"(?:(?P<{0}file>'(?:[^']|'')+')\#)?(?P<{0}sheet>\$?(?:'(?:[^']|'')*'|[^.'\#:]+))?"
_LOST = r"\$?\#REF!\$?(?:\d+|\#REF!)?|\$?[A-Z]{{1,3}}\$?\#REF!"
_POINT = r"(?P<{0}point>\$?[A-Za-z]{{1,3}}\$?\d+|\$?[A-Za-z]{{1,3}}|\$?\d+|" + _LOST + ")"
_REFERENCE = re.compile(
    _SHEET.format("a") + r"\." + _POINT.format("a") + "(?::" + _SHEET.format("b") + r"\." + _POINT.format("b") + ")?"
)
_PLAIN_SHEET = re.compile(r"[^\W\d][\w.]*")
_LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*")
_WHOLE_COLUMNS = re.compile(r"(\$?[A-Z]{1,3})\$?1:(\$?[A-Z]{1,3})\$?1048576")
_WHOLE_ROWS = re.compile(r"\$?A(\$?\d+):\$?(?:XFD|AMJ)(\$?\d+)")


def sheet_prefix(name: str, last: str | None = None, file: str | None = None) -> str:
    """What stands before a cell of another sheet, of several, or of another file.

    >>> sheet_prefix("Log"), sheet_prefix("My log"), sheet_prefix("Log", file="C:/a.ods")
    ('Log!', "'My log'!", "'C:/[a.ods]Log'!")
    """
    whole = name if last is None else f"{name}:{last}"
    if file is not None:
        folder, slash, leaf = file.rpartition("/")
        whole = f"{folder}{slash}[{leaf}]{whole}"
    plain = file is None and all(
        _PLAIN_SHEET.fullmatch(part) and not _LIKE_A_CELL.fullmatch(part) for part in (name, last or name)
    )
    quoted = whole if plain else "'" + whole.replace("'", "''") + "'"
    return quoted + "!"


def _unquoted(sheet: str) -> str:
    sheet = sheet.removeprefix("$")
    return sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet


def reference(text: str, own: str | None = None) -> str:
    """A reference without its brackets, such as `$Log.A1:.B2`, as Excel writes it; on the sheet `own` without a sheet.

    >>> reference(".A1:.$B$2"), reference("$'My log'.A1:.A9"), reference(".A:.C")
    ('A1:$B$2', "'My log'!A1:A9", 'A:C')
    """
    match = _REFERENCE.fullmatch(text.strip())
    if match is None:
        return "#REF!"
    first, last = match["apoint"], match["bpoint"]
    if "#REF!" in first or "#REF!" in (last or ""):
        return "#REF!"
    cells = first if last is None else f"{first}:{last}"
    if last is not None:
        cells = _WHOLE_COLUMNS.sub(r"\1:\2", cells) if ":" in cells else cells
        cells = _WHOLE_ROWS.sub(r"\1:\2", cells)
    if last is None and not (first[-1:].isdigit() and first.strip("$0123456789")):
        cells = f"{first}:{first}"  # a whole column or row
    if match["asheet"] is None:
        return cells
    sheet = _unquoted(match["asheet"])
    if "#REF!" in sheet:
        return "#REF!"
    end = _unquoted(match["bsheet"]) if match["bsheet"] else None
    if end not in (None, sheet) and first == last:
        cells = first
    file = unquote(match["afile"][1:-1].replace("''", "'")) if match["afile"] else None
    if file is None and sheet == own and end in (None, sheet):
        return cells
    return sheet_prefix(sheet, None if end == sheet else end, file) + cells


@lru_cache(maxsize=4096)
def function(name: str) -> str:
    """The name that an .xlsx file has for a function of OpenFormula.

    >>> function("COM.MICROSOFT.STDEV.S"), function("LEGACY.NORMSDIST"), function("SUM")
    ('_xlfn.STDEV.S', 'NORMSDIST', 'SUM')
    """
    upper = name.upper()
    if upper.startswith("_XLFN."):  # a function that the writing program did not know
        return "_xlfn." + upper.removeprefix("_XLFN.").replace("_XLWS.", "_xlws.")
    bare = _VENDORS.sub("", upper, count=1)
    if bare != upper and upper.startswith("COM.SUN.STAR"):
        bare = _ADDIN.sub("", bare)
    bare = _OTHER_NAMES.get(bare, bare)
    if bare in _SPREADING:
        return _SPREADING[bare]
    return f"_xlfn.{bare}" if bare in _NEWER else bare


def _replaced(match: re.Match[str], depth: list[str]) -> str:
    kind = match.lastgroup
    token = match[0]
    if kind == "reference":
        return reference(token[1:-1]) if token != "[#REF!]" else "#REF!"
    if kind == "function":
        return function(token)
    if kind == "logical":
        return token[: token.index("(")].rstrip()
    if kind != "mark":
        return token
    if token in "{}":
        depth.append(token) if token == "{" else depth.clear()
        return token
    if token == "|":
        return ";" if depth else token
    return {";": ",", "~": ",", "!": " "}[token]


_OWN = r"\.(\$?[A-Z]{1,3}\$?\d+)"
_OWN_RANGE = re.compile(rf"\[{_OWN}:{_OWN}\]")
_OWN_CELL = re.compile(rf"\[{_OWN}\]")
_CALL = re.compile(r"[^\W\d][\w.]*(?=\s*\()")
_NEEDS_CARE = re.compile(r"[\"'\[{}|~!]|(?:TRUE|FALSE)\s*\(", re.I)


def _simple(body: str) -> str | None:
    """The quick way for a formula of plain references and common functions; None when there is more to it."""
    if any(mark in body for mark in ('"', "'", "1048576", "XFD", "AMJ")):
        return None
    body = _OWN_CELL.sub(r"\1", _OWN_RANGE.sub(r"\1:\2", body))
    if _NEEDS_CARE.search(body) or any(function(name) != name for name in set(_CALL.findall(body))):
        return None
    return body.replace(";", ",").strip()


@lru_cache(maxsize=65536)
def to_excel(formula: str) -> str:
    """A stored formula, with or without its prefix `of:=`, in Excel's spelling and without the leading '='.

    >>> to_excel("of:=IF([.A1]>0;SUM([.B1:.B9]);{1;2|3;4})")
    'IF(A1>0,SUM(B1:B9),{1,2;3,4})'
    """
    prefix, equals, body = formula.partition("=")
    if not equals:
        prefix, body = "of:", formula
    elif prefix not in ("", "of:", "oooc:", "msoxl:"):
        return formula
    if prefix == "msoxl:":
        return body.removeprefix("=")
    body = body.removeprefix("=")  # a second '=' asks for recalculation on loading
    simple = _simple(body)
    if simple is not None:
        return simple
    inside: list[str] = []
    return _TOKEN.sub(lambda match: _replaced(match, inside), body).strip()
