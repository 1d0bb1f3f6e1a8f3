"""`systems` and `templates`: what there is, printed from the code itself."""

from __future__ import annotations

from typing import Any

import click

from elo_sheets.cli._options import echo_json, json_option


@click.command(epilog="\b\nExample:\n  elo-sheets systems --json")
@json_option
def systems(as_json: bool) -> None:
    """List the rating systems, their settings and their steps."""
    from elo_sheets.formula import to_formula
    from elo_sheets.systems import SYSTEMS, trace

    records: list[dict[str, Any]] = [
        {
            "name": system.name,
            "title": system.title,
            "about": system.about,
            "parameters": [
                {"name": p.name, "default": p.shown(), "choices": list(p.choices), "meaning": p.meaning}
                for p in system.parameters
            ],
            "steps": [
                {"name": step.__name__, "formula": to_formula(trace(step))} for step in system.game + system.closing
            ],
            "sources": list(system.sources),
        }
        for system in SYSTEMS.values()
    ]
    if as_json:
        echo_json({"schema": 1, "systems": records})
        return
    for record in records:
        click.echo(f"{record['name']}: {record['about']}")
        for parameter in record["parameters"]:
            click.echo(f"  --set {parameter['name']}={parameter['default']}  {parameter['meaning']}")
        for step in record["steps"]:
            click.echo(f"  {step['name']} = {step['formula']}")
        for source in record["sources"]:
            click.echo(f"  source: {source}")


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


COMMANDS = (systems, templates)
