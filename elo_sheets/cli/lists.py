"""`templates` and `rules`: what there is, printed from the code itself."""

from __future__ import annotations

import click

from elo_sheets.cli._options import echo_json, json_option, text_table


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


@click.command(
    epilog="\b\nExamples:\n  elo-sheets rules\n  elo-sheets rules ES101\n  elo-sheets rules draw-not-half --json"
)
@click.argument("code", required=False)
@json_option
def rules(code: str | None, as_json: bool) -> None:
    """List the kinds of findings of validate, or explain the one with this CODE or name by an example."""
    from elo_sheets.validate.findings import RULES
    from elo_sheets.validate.rules import explain_rule, rule_in_words, rule_record

    if as_json:
        chosen = list(RULES) if code is None else [code]
        echo_json({"schema": 1, "rules": [rule_record(explain_rule(one)) for one in chosen]})
    elif code is None:
        rows = [[rule.code, rule.name, rule.meaning] for rule in RULES.values()]
        click.echo(text_table(["code", "name", "meaning"], rows, left=(0, 1, 2)))
        click.echo("\nelo-sheets rules CODE explains one with an example.")
    else:
        click.echo(rule_in_words(explain_rule(code)))


COMMANDS = (templates, rules)
