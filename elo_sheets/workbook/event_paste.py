"""One player's calculation from a pasted list of opponents and results, as the change calculators take it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elo_sheets.expr import Ref
from elo_sheets.files.package import column_letters
from elo_sheets.formula import to_formula
from elo_sheets.odds.performance import linear_performance, table_performance
from elo_sheets.ops import round_half_away
from elo_sheets.systems import Line, lines, uschess
from elo_sheets.workbook import event_performances as performances
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.event_games import SPELLED, Table, number, numeric
from elo_sheets.workbook.event_ratings import CARRIED, Ratings, k_style, label
from elo_sheets.workbook.event_rules import EventRules, Fact
from elo_sheets.workbook.facts import step_style, step_unit
from elo_sheets.workbook.layout import rule_formula, text_of
from elo_sheets.workbook.plan import CellPlan, CellValue, ColumnPlan, Highlight, SheetPlan, TablePlan, Validation
from elo_sheets.workbook.spellings import NO_RESULT, OWN
from elo_sheets.workbook.view import verdict_highlights
from elo_sheets.workbook.words import replaces

LABEL_COLUMN, VALUE_COLUMN = 14, 15
RATING_ROW, STEP_ROW, FACT_ROW = 5, 6, 7
# Above the player, beside the header of the table.
STATUS_ROW = 3
FACTS = 5
FIRST_LINE = FACT_ROW + FACTS + 1
# What a row that does not count says; a colon is in what is not understood.
NO_RATING = "no rating"
REMEDY = f"{NO_RESULT}: write 1, ½ or 0"
READY, ODD, NO_ROW, NO_PLAYER = (
    "ready",
    "A row in red is not understood",
    "Paste ratings and results",
    "Type the rating",
)

STYLES = {
    "difference": "whole_signed",
    "cap": "helper",
    "delta": "delta",
    "change": "change_fine",
    "gain": "change_fine",
    "bonus": "decimal",
    "age": "age",
    "k": "number",
    "published_peak": "whole",
    "earlier_bonus_factor": "number",
    "bonus_factor": "number",
    "bonus_allowed": "number",
    "development": "number",
    "full_games": "decimal",
    "effective_games": "decimal",
    "base_k": "decimal",
    "dual_factor": "decimal",
    "surplus": "delta",
}


def paste_cells() -> dict[str, tuple[str, int, int]]:
    """Return the cells that the player is typed into."""
    rows = {"paste_rating": RATING_ROW, "paste_step": STEP_ROW}
    rows |= {f"paste_fact_{i + 1}": FACT_ROW + i for i in range(FACTS)}
    return {role: ("Paste", row, VALUE_COLUMN) for role, row in rows.items()}


def asked_facts(rules: EventRules) -> Mapping[str, Fact]:
    """Return what the sheet asks of the player besides his rating."""
    return {"games": rules.personal["games"]} if rules.name == "uschess" else rules.personal


def paste_facts(rules: EventRules, facts: Mapping[str, float]) -> dict[str, CellValue]:
    """Return what those cells hold where facts are known of every player, by their columns on Players."""
    return {f"paste_fact_{i}": facts.get(fact.label) for i, fact in enumerate(asked_facts(rules).values(), 1)}


def row_status(rating: CellValue, result: CellValue) -> str:
    """Return what becomes of a row: a colon is in those that are not understood."""
    if text_of(rating) == "":
        return "" if text_of(result).strip(" ") == "" else NO_RATING
    if not numeric(rating):
        return f"{NO_RATING}: a number"
    if number(rating) <= 0:
        return NO_RATING
    if text_of(result).strip(" ") == "":
        return NO_RESULT
    return "rated" if OWN.score(result) is not None else REMEDY


_SCORE = f"INDEX(Spellings[Score],{SPELLED.row('[Result]')})"
_STATUS = (
    f'IF([Opponent]="",IF(TRIM([Result])="","","{NO_RATING}"),IF(NOT(ISNUMBER([Opponent])),"{NO_RATING}: a number",'
    f'IF([Opponent]<=0,"{NO_RATING}",IF(TRIM([Result])="","{NO_RESULT}",IF(ISNUMBER({_SCORE}),"rated","{REMEDY}")))))'
)


class Paste:
    """The cells of the sheet."""

    def __init__(self, made: Ratings, rules: EventRules, about: Mapping[str, str]) -> None:
        self.made, self.event, self.rules, self.about = made, made.event, rules, about
        self.inputs = self.event.inputs
        self.rating = number(self.inputs.cells.get("paste_rating"))
        self.columns = self._columns()
        self.table = Table("Paste", {role: text for role, text, *_ in self.columns}, self.inputs.rows("Paste"))
        self.cells: list[CellPlan] = []
        self.row = FIRST_LINE
        # The figures by the names that the rule reads, and the cells of their names.
        self.references: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def _columns(self) -> list[tuple[str, str, str, float, str]]:
        about = self.about
        found = [
            ("typed:Opponent", "Opponent", "rating", 12.0, ""),
            ("typed:Result", "Result", "choice", 10.0, ""),
            ("paste_status", "Status", "status", 29.0, "Whether the row counts, or what is missing or not understood."),
            ("paste_score", "Score", "number", 9.0, "The result as points; empty while rating or result are missing."),
        ]
        for line in lines(self.rules.game):
            style = STYLES.get(line.name, step_style(self.rules, line.name))
            found.append(
                (f"step:Paste:{line.name}", label(self.event, line.name), style, 11.0, about.get(line.name, ""))
            )
        found.append(("paste_share", "K × ΔR", "change_fine", 10.0, "The game's share of the change."))
        return found

    def counted(self, i: int) -> bool:
        """Return whether a row counts."""
        return self.is_ready and self.table["paste_score"][i] != ""

    def build(self) -> None:
        """Add the table's columns and the figures beside it."""
        typed = self.inputs.tables["Paste"]
        table = self.table
        for name in ("Opponent", "Result"):
            table.constants(f"typed:{name}", typed[name])

        states = [row_status(*row) for row in zip(typed["Opponent"], typed["Result"], strict=True)]
        table.add("paste_status", _STATUS, lambda i: states[i], "text")
        scores = [
            OWN.score(result) if state == "rated" else None
            for result, state in zip(typed["Result"], states, strict=True)
        ]
        score = f'IF([Status]="rated",{_SCORE},"")'
        table.add("paste_score", score, lambda i: "" if scores[i] is None else scores[i], "number")
        cell = self.named("rating", RATING_ROW)
        self._status(cell, states)
        own: dict[str, tuple[str, Callable[[int], Any]]] = {
            "rating": (cell, lambda i: self.rating),
            "opponent_rating": ("[Opponent]", lambda i: typed["Opponent"][i]),
            "score": ("[Score]", lambda i: table["paste_score"][i]),
            "widest": ("1", lambda i: 1.0),
        }
        guard = f'OR(Paste_status<>"{READY}",[Score]="")'
        self.made.add_steps(table, lines(self.rules.game), own, guard, self.counted)
        self._inputs()
        self._figures()
        k = self.references["k_used"]
        gain, value = self._gain()
        table.add(
            "paste_share",
            f'IF({guard},"",N({k})*{gain})',
            lambda i: number(self.values["k_used"]) * value(i) if self.counted(i) else "",
            "points",
        )

    def _status(self, rating: str, states: Sequence[str]) -> None:
        """Add the line that says whether the figures stand."""
        wants = (
            (f"N({rating})<=0", self.rating <= 0, NO_PLAYER),
            ('COUNTIF(Paste[Status],"*:*")>0', any(":" in state for state in states), ODD),
            ('COUNTIF(Paste[Status],"rated")=0', "rated" not in states, NO_ROW),
        )
        formula, value = f'"{READY}"', READY
        for test, fails, says in reversed(wants):
            formula, value = f'IF({test},"{says}",{formula})', says if fails else value
        self.is_ready = value == READY
        self.cells.append(CellPlan(STATUS_ROW, LABEL_COLUMN, "Status", style="label"))
        self.cells.append(
            CellPlan(STATUS_ROW, VALUE_COLUMN, value, formula, "verdict", "text", merge_to=VALUE_COLUMN + 1)
        )
        self.named("status", STATUS_ROW)

    def _gain(self) -> tuple[str, Callable[[int], float]]:
        table = self.table
        if "step:Paste:delta" in table.labels:
            return f"[{table.labels['step:Paste:delta']}]", lambda i: number(table["step:Paste:delta"][i])
        name = table.labels["step:Paste:expected"]
        return (
            f"([Score]-[{name}])",
            lambda i: number(table["paste_score"][i]) - number(table["step:Paste:expected"][i]),
        )

    def named(self, name: str, row: int) -> str:
        """Give the cell of a figure a name, and return it."""
        self.names[f"Paste_{name}"] = f"Paste!${column_letters(VALUE_COLUMN)}${row}"
        return f"Paste_{name}"

    # The player

    def _inputs(self) -> None:
        self.cells.append(CellPlan(HEADER_ROW, LABEL_COLUMN, "The player", style="section", merge_to=VALUE_COLUMN))
        typed = next(filter(None, (self.rules.typed_step(line.name) for line in self._closing())), None)
        rows = [(RATING_ROW, "paste_rating", "Rating", "The rating before the event.")]
        if typed:
            rows.append((STEP_ROW, "paste_step", f"{typed}, if known", "Left empty it follows from what stands below."))
        for i, (name, fact) in enumerate(self._facts().items()):
            text = label(self.event, name)
            rows.append((FACT_ROW + i, f"paste_fact_{i + 1}", text, f"Left empty it counts as {fact.empty:g}."))
        for row, role, text, message in rows:
            check = Validation(
                "number", minimum=-1, maximum=100000, title=text[:32], message=message, error="A number, or nothing."
            )
            self.cells.append(CellPlan(row, LABEL_COLUMN, text, style="label"))
            self.cells.append(
                CellPlan(
                    row,
                    VALUE_COLUMN,
                    self.inputs.cells.get(role),
                    style="rating",
                    is_input=True,
                    validation=check,
                    unit="text",
                )
            )

    def _instead(self, role: str, cell: str, rule: str, by_rule: CellValue) -> None:
        """Add the remark beside the typed step: what it counts in place of."""
        formula, said = replaces(cell, rule, self.inputs.cells.get(role), by_rule)
        self.cells.append(CellPlan(STEP_ROW, VALUE_COLUMN + 1, said, formula, "remark", "text"))

    def _facts(self) -> Mapping[str, Fact]:
        return asked_facts(self.rules)

    # The figures

    def _closing(self) -> list[Line]:
        if self.rules.name == "uschess":
            return [Line.of(step) for step in USCHESS_STEPS]
        return [line for line in lines(self.rules.closing) if line.name not in CARRIED]

    def figure(self, name: str, text: str, formula: str, value: CellValue, style: str, unit: str) -> None:
        """Add a figure that later ones may read by its name."""
        self.cells.append(CellPlan(self.row, LABEL_COLUMN, text, style="label"))
        self.cells.append(CellPlan(self.row, VALUE_COLUMN, value, formula, style, unit))
        self.references[name] = self.named(name, self.row)
        self.values[name] = value
        self.row += 1

    def _figures(self) -> None:
        table = self.table
        on = [i for i in range(table.rows) if self.counted(i)]
        self.games = [self._game(i) if self.counted(i) else None for i in range(table.rows)]
        self.on = bool(on)
        self.cells.append(CellPlan(self.row, LABEL_COLUMN, "The event", style="section", merge_to=VALUE_COLUMN))
        self.row += 1
        rated = f"Paste[{table.labels['step:Paste:expected']}]"
        n = float(len(on))
        score = [number(table["paste_score"][i]) for i in on]
        self.figure("period_games", "n", f"COUNT({rated})", n, "ordinal", "count")
        self.guard = f"{self.references['period_games']}=0"
        total = sum(score)
        self.total("period_score", "W", "SUM(Paste[Score])", total, "number", "number")
        expected = sum(number(table["step:Paste:expected"][i]) for i in on)
        self.total("period_expected", "We", f"SUM({rated})", expected, "decimal_fine", "share")
        opponents = [number(self.inputs.tables["Paste"]["Opponent"][i]) for i in on]
        rc = sum(opponents) / n if n else 0.0
        # Ratings without a result are not counted: the sum asks for the score.
        rc_formula = f'SUMIFS(Paste[Opponent],Paste[Score],">=0")/{self.references["period_games"]}'
        self.total("rc", "Rc", rc_formula, rc, "points", "points")
        for name in self.rules.sums:
            if name not in {"score", "expected"}:
                role = f"step:Paste:{name}"
                self.total(
                    f"period_{name}",
                    label(self.event, f"period_{name}"),
                    f"SUM(Paste[{table.labels[role]}])",
                    sum(number(table[role][i]) for i in on),
                    "change_fine" if name == "delta" else "number",
                    step_unit(self.rules, name),
                )
        self._steps()
        self._performance(score, n, rc)

    def _game(self, i: int) -> tuple[float, float]:
        return number(self.inputs.tables["Paste"]["Opponent"][i]), number(self.table["paste_score"][i])

    def total(self, name: str, text: str, formula: str, value: CellValue, style: str, unit: str) -> None:
        """Add a figure that is empty while nothing counts."""
        self.figure(name, text, f'IF({self.guard},"",{formula})', value if self.on else "", style, unit)

    def _steps(self) -> None:
        references = {name: cell for name, (cell, _) in self.made.constants.items()} | self.references
        values: dict[str, Any] = {name: value for name, (_, value) in self.made.constants.items()} | self.values
        references["rating"], values["rating"] = self.named("rating", RATING_ROW), self.rating
        references["most_often"], values["most_often"] = "1", 1.0
        for i, (name, fact) in enumerate(self._facts().items()):
            cell = self.named(name, FACT_ROW + i)
            given = self.inputs.cells.get(f"paste_fact_{i + 1}")
            references[name] = f"IF(ISNUMBER({cell}),{cell},{fact.empty:g})"
            values[name] = number(given) if numeric(given) else fact.empty
        given_step = number(self.inputs.cells.get("paste_step"))
        for line in self._closing():
            formula = rule_formula(line, references)
            value = float(line.step(*(values[name] for name in line.reads))) if self.on else ""
            if self.rules.typed_step(line.name):
                cell = self.named(f"{line.name}_typed", STEP_ROW)
                ruled = f"{label(self.event, line.name)} by the rule"
                self.total(
                    f"{line.name}_by_rule",
                    ruled,
                    formula,
                    value,
                    self._style(line.name),
                    step_unit(self.rules, line.name),
                )
                self._instead("paste_step", cell, self.references[f"{line.name}_by_rule"], value)
                formula = f"IF(N({cell})>0,{cell},{self.references[f'{line.name}_by_rule']})"
                value = given_step if given_step > 0 and self.on else value
            if line.name == "bonus_allowed":
                formula = f"IF({formula},1,0)"
            style = self._style(line.name)
            if line.name in {"rating_after", "standard_rating"}:
                style = "points_strong" if self.rules.name == "uschess" else "whole_strong"
            self.total(line.name, label(self.event, line.name), formula, value, style, step_unit(self.rules, line.name))
            references[line.name], values[line.name] = self.references[line.name], value
        if self.rules.name == "uschess":
            games = references["games"]
            remark = "at most 8 games: the special formula, see Players" if values["games"] <= 8 else ""
            self.total(
                "remark",
                "Remark",
                f'IF({games}<={uschess.SPECIAL_GAMES},"at most 8 games: the special formula, see Players","")',
                remark,
                "status",
                "text",
            )

    def _style(self, name: str) -> str:
        if name == "k_used":
            return k_style(self.event)
        return STYLES.get(name, step_style(self.rules, name))

    def _performance(self, score: list[float], n: float, rc: float) -> None:
        opponents = [one[0] for one in self.games if one]
        self.pasted = self.games if self.on else [None] * len(self.games)
        w, games, mean = (Ref(self.references[name]) for name in ("period_score", "period_games", "rc"))
        if self.rules.name == "dwz":
            own = performances.performance_of(self.event, opponents, sum(score)) if n else None
            shown = "" if own is None else float(round_half_away(own))
            self.total("rp", "Rp", performances.shown_of("ROWS(Performances[Row])"), shown, "whole", "points")
        else:
            by_table = table_performance(rc, sum(score), n) if n else ""
            self.total("rp", "Rp", to_formula(table_performance(mean, w, games)), by_table, "whole", "points")
        wins, losses = Ref("COUNTIF(Paste[Score],1)"), Ref("COUNTIF(Paste[Score],0)")
        self.total(
            "linear",
            "Rp linear",
            to_formula(linear_performance(mean, wins, losses, games)),
            linear_performance(rc, score.count(1.0), score.count(0.0), n) if n else "",
            "points",
            "points",
        )


USCHESS_STEPS = (
    uschess.full_games,
    uschess.effective_games,
    uschess.base_k,
    uschess.dual_factor,
    uschess.k_used,
    uschess.gain,
    uschess.earlier_bonus_factor,
    uschess.bonus_factor,
    uschess.bonus_allowed,
    uschess.bonus,
    uschess.standard_rating,
)


def paste_sheet(
    heading: tuple[CellPlan, ...],
    paste: Paste,
    sheet: Mapping[str, Any],
    checked: Callable[[Mapping[str, Any]], Validation],
) -> SheetPlan:
    """Return the sheet; `checked` makes what may be typed of what the template says of it."""
    typed = {f"typed:{name}": column for name, column in (("Opponent", 0), ("Result", 1))}
    specs = sheet["column"]
    columns = []
    for role, text, style, width, about in paste.columns:
        spec = specs[typed[role]] if role in typed else {}
        check = checked(spec["validation"]) if "validation" in spec else None
        wide = max(width, len(text) + 3)
        columns.append(ColumnPlan(text, paste.table.fills[role], role, style, wide, role in typed, check, about))
    table = TablePlan("Paste", HEADER_ROW, tuple(columns), paste.table.rows)
    result = table.range("Result")
    first = table.first_data_row
    score, state = f"$D{first}", f"$C{first}"
    verdict = f"${column_letters(VALUE_COLUMN)}${STATUS_ROW}"
    rows = f"$A${first}:$C${table.last_row}"
    highlights = (
        Highlight(verdict, f'{verdict}="{ODD}"', "alarm"),
        *verdict_highlights(verdict, f'{verdict}="{READY}"')[:1],
        Highlight(rows, f'ISNUMBER(FIND(":",{state}))', "alarm"),
        Highlight(result, f"AND(ISNUMBER({score}),N({score})=1)", "win"),
        Highlight(result, f"AND(ISNUMBER({score}),N({score})=0.5)", "draw"),
        Highlight(result, f"AND(ISNUMBER({score}),N({score})=0)", "loss"),
    )
    widths = {i: column.width for i, column in enumerate(columns, 1)} | {LABEL_COLUMN: 40, VALUE_COLUMN: 12}
    widths[VALUE_COLUMN + 1] = 22
    widths |= dict.fromkeys(range(len(columns) + 1, LABEL_COLUMN), 2.0)
    return SheetPlan(
        sheet["name"],
        (*heading, *paste.cells),
        (table,),
        highlights=highlights,
        widths=widths,
        frozen_rows=HEADER_ROW,
        landscape=True,
    )
