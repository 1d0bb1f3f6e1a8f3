"""`templates`, `rules` and `page`: what there is, printed from the code itself."""

from __future__ import annotations

from dataclasses import asdict

import click

from elo_sheets._outside import show_progress
from elo_sheets.cli._notes import is_quiet
from elo_sheets.cli._options import command, echo_json, text_table
from elo_sheets.errors import UsageError
from elo_sheets.listed import listed


@command("templates")
def templates(
    name: str | None,
    system: str | None,
    dialect: str,
    whole: bool,
    output: str | None,
    no_pictures: bool,
    force: bool,
    as_json: bool,
) -> None:
    """List the workbook templates, or describe one.

    A description has the sheets, columns and formulas. With --all -o FOLDER write them instead: every template, empty
    and with an example, for the common systems and for every sport whose words it knows, and a page index.html that
    shows them.
    """
    if whole != (output is not None):
        raise UsageError("--all and -o FOLDER go together")
    if not whole and (force or no_pictures):
        raise UsageError("--force and --no-pictures go with --all -o FOLDER")
    if output is not None:
        if system is not None or as_json or dialect != "portable":
            raise UsageError(
                "--all writes the common systems' portable books: leave out --system, --dialect and --json"
            )
        _write_all(name, output, force, not no_pictures)
    elif name is None:
        if system is not None:
            raise UsageError("--system goes with the name of a template")
        _list(as_json)
    else:
        _describe(name, system, dialect, as_json)


def _write_all(name: str | None, output: str, force: bool, pictures: bool) -> None:
    import sys

    from elo_sheets.uses.ready_made import ready_made

    def told(book: str) -> None:
        show_progress(f"writing {book}")

    def listed(book: str) -> None:
        click.echo(f"writing {book}", err=True)

    progress = None if is_quiet() else told if sys.stderr.isatty() else listed
    made = ready_made(output, name, overwrite=force, pictures=pictures, progress=progress)
    click.echo(f"wrote {len(made)} books and index.html into {output}")


def _list(as_json: bool) -> None:
    records = listed("templates")
    if as_json:
        echo_json({"schema": 1, "templates": records})
        return
    for record in records:
        click.echo(f"{record['name']}: {record['about']}")
        click.echo(f"  sheets: {', '.join(record['sheets'])}")
        click.echo(f"  modern dialect: {', '.join(record['modern_sheets']) or 'as the portable one'}")
        click.echo(f"  systems: {', '.join(record['systems'])}")


def _describe(name: str, system: str | None, dialect: str, as_json: bool) -> None:
    from elo_sheets.workbook.listing import describe_template
    from elo_sheets.workbook.templates import template

    form = template(name)
    columns = describe_template(name, system, dialect)
    if as_json:
        echo_json({"schema": 1, "template": name, "columns": [asdict(column) for column in columns]})
        return
    click.echo(f"{name}: {form['about']}")
    sheet = ""
    for column in columns:
        if column.sheet != sheet:
            sheet = column.sheet
            click.echo(f"\n{sheet}")
        what = column.formula or ("typed" if column.is_input else "constant")
        click.echo(f"  {column.label}: {what}")
        if column.about:
            click.echo(f"    {column.about}")


@command("rules")
def rules(code: str | None, as_json: bool) -> None:
    """List the kinds of findings of validate, or explain one.

    CODE may be the code or the name; an example explains it.
    """
    from elo_sheets.verdict.findings import RULES
    from elo_sheets.verdict.rules import find_rule, rule_in_words, rule_record

    if as_json:
        chosen = list(RULES) if code is None else [code]
        echo_json({"schema": 1, "rules": [rule_record(find_rule(one)) for one in chosen]})
    elif code is None:
        rows = [[rule.code, rule.name, rule.meaning] for rule in RULES.values()]
        click.echo(text_table(["code", "name", "meaning"], rows, left=(0, 1, 2)))
        click.echo("\nelo-sheets rules CODE explains one with an example.")
    else:
        click.echo(rule_in_words(find_rule(code)))


@command("page")
def page(output: str | None, force: bool) -> None:
    """Write the calculators as one page that opens from disk.

    It needs no network and nothing installed. One game, an event, performance, K, the rating needed, odds of matches,
    tennis and Go, a game under every system that rates by games, and a whole event by US Chess or the AGA.
    Bradley-Terry, BayesElo, Chessmetrics and WHR fit a whole log and are left out. The numbers are those of the
    commands, and the address of the page holds what is typed, so that a calculation can be shared.
    """
    from elo_sheets.page.calculators import calculators_page, write_page

    if output is None:
        click.echo(calculators_page(), nl=False)
        return
    write_page(output, overwrite=force)
    click.echo(f"wrote {output}")


@command("profiles")
def profiles(name: str | None, as_json: bool) -> None:
    """List the sports whose words a book may use.

    With NAME, what that one says; new and import take it as --profile.
    """
    records = [record for record in listed("profiles") if name in {None, record["name"]}]
    if not records and name is not None:
        from elo_sheets.workbook.sports.profiles import profile, record

        records = [record(profile(name))]
    if as_json:
        echo_json({"schema": 1, "profiles": records})
        return
    for told in records:
        click.echo(f"{told['name'] if name is None else name}: {told['title']}, {' and '.join(told['sides'])}")
        scores = f"; scores such as {told['example']}" if told["scores"] else ""
        click.echo(f"  results: {', '.join(told['results'])}{scores}{'' if told['draws'] else '; no draws'}")
        settings = "".join(f", {key} {value}" for key, value in told["settings"].items())
        click.echo(f"  system: {told['system']}{settings}")


COMMANDS = (templates, profiles, rules, page)
