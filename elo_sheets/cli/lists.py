"""`templates`: what there is, printed from the code itself."""

from __future__ import annotations

import click

from elo_sheets.cli._options import echo_json, json_option


@click.command(epilog="\b\nExample:\n  elo-sheets templates --json")
@json_option
def templates(as_json: bool) -> None:
    """List the workbook templates and their sheets."""
    from elo_sheets.workbook.templates import NAMES, template

    records = [
        {
            "name": name,
            "title": form["title"],
            "about": form["about"],
            "systems": form["systems"],
            "sheets": [sheet["name"] for sheet in form["sheet"] if not sheet.get("hidden")],
        }
        for name in NAMES
        for form in [template(name)]
    ]
    if as_json:
        echo_json({"schema": 1, "templates": records})
        return
    for record in records:
        click.echo(f"{record['name']}: {record['about']}")
        click.echo(f"  sheets: {', '.join(record['sheets'])}")
        click.echo(f"  systems: {', '.join(record['systems'])}")


COMMANDS = (templates,)
