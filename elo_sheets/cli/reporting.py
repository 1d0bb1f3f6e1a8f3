"""`report`: a workbook on one page, to print, to send or to put on a site."""

from __future__ import annotations

import click

from elo_sheets._outside import unguarded
from elo_sheets.cli._options import command


@command("report")
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
