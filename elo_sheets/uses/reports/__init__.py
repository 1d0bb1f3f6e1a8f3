"""A book on one page: `report` prints its sheet Report (in a journal the Dashboard).

The sheet is taken from the plan of the book that would hold what its owner typed, the one that `validate` compares
with: nothing is computed a second time. Two printers, a page (`page`) and a PDF (`printing`), say what it says.
"""

from __future__ import annotations

from pathlib import Path

from elo_sheets.errors import UsageError
from elo_sheets.files.save import check_output, refuse_unwritable, replacing
from elo_sheets.systems import Rules, systems_named
from elo_sheets.uses.reports.page import page
from elo_sheets.uses.updating.old import Old
from elo_sheets.validate.read import refuse_unused
from elo_sheets.workbook.templates import template as find_template

PAGES = (".html", ".htm")


def report(
    book: str | Path,
    output: str | Path | None = None,
    *,
    system: str | Rules | None = None,
    template: str | Path | None = None,
    overwrite: bool = False,
) -> str:
    """Return the report of a workbook that elo-sheets made as a page (HTML), or write it.

    It is one page: who leads, the chart, the first twenty places; of a journal its Dashboard. `output` ends in .html
    for a page that needs nothing besides itself, or in .pdf for LibreOffice's print of it; without one nothing is
    written. `system` is the rule of a book whose rule is not built in, `template` the TOML file of a template that is
    not.

    Raises `UnreadableInput` for a file that is no workbook of elo-sheets or cannot be read back, `UsageError` for a
    template that has no report, `NotChecked` where a PDF is asked for and LibreOffice is missing or fails,
    `OutputRefused` for an output that exists and is not to be overwritten.
    """
    if output is not None:
        check_output(output, [book], *PAGES, ".pdf")
        refuse_unwritable(Path(output), overwrite=overwrite)
    old = _read(book, system, template)
    sheet = report_name(old)
    text = page(old.plan, sheet)
    if output is None:
        return text
    if Path(output).suffix.lower() == ".pdf":
        from elo_sheets.uses.reports.printing import write_pdf

        write_pdf(old.plan, sheet, Path(output), overwrite=overwrite)
        return text
    with replacing(Path(output), overwrite=overwrite) as beside:
        beside.write_text(text, encoding="utf-8", newline="")
    return text


def _read(book: str | Path, system: str | Rules | None, template: str | Path | None) -> Old:
    """Return a book of ours as its owner typed it."""
    if template is not None:
        find_template(str(template))
    given = systems_named(system)
    old = Old.read(Path(book), given)
    refuse_unused(given, [old.manifest])
    return old


def report_name(old: Old) -> str:
    """Return the sheet of a book that is its report; raises `UsageError` for a template without one."""
    form = old.form
    name = str(form.get("report", "Report"))
    if name in {sheet.name for sheet in old.plan.sheets}:
        return name
    raise UsageError(
        f"{old.path}: a book of the template {form['name']} has no report, since it holds no games that are rated one "
        "after the other; print its sheets from a spreadsheet program"
    )
