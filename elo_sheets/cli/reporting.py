"""`report`: a workbook on one page, to print, to send or to put on a site."""

from __future__ import annotations

import click

from elo_sheets._outside import unguarded
from elo_sheets.cli._options import force_option, rule_file_option, template_file_option


@click.command(
    epilog="\b\nExamples:\n  elo-sheets report club.xlsx -o club.pdf\n"
    "  elo-sheets report club.xlsx -o club.html\n"
    "  elo-sheets report mine.xlsx -o - > mine.html\n"
    "  elo-sheets report own.xlsx --system my.py:MY -o own.html"
)
@click.argument("book", metavar="BOOK.xlsx")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="A page (.html, or - for standard output), or a PDF (.pdf), for which LibreOffice must be installed.",
)
@rule_file_option
@template_file_option
@force_option
def report(book: str, output: str, system: str | None, template: str | None, force: bool) -> None:
    """Print a workbook on one page, with its chart.

    It says who leads, draws the chart and lists the first twenty places; of a journal it is the Dashboard. The page
    (HTML) holds all that it needs, opens without network, on a phone too, and prints. The numbers are those that
    validate compares with: what follows from the games as they are typed in the book.
    """
    from elo_sheets.uses.reports import report as run

    to_stream = output == "-"
    text = run(book, None if to_stream else output, system=system, template=template, overwrite=force)
    if to_stream:
        with unguarded():  # a page shows control characters as signs
            click.echo(text, nl=False)
        return
    click.echo(f"wrote {output}")


COMMANDS = (report,)
