"""`new`, `import` and `validate`: what makes and checks workbooks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from elo_sheets._outside import has_colour, unguarded
from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log, say_notes
from elo_sheets.errors import UsageError

if TYPE_CHECKING:
    from elo_sheets.validate import Verdict

UNREADABLE = 3
CELLS = r"\$?[A-Z]{1,3}(\$?[0-9]{1,7})?(:\$?[A-Z]{1,3}(\$?[0-9]{1,7})?)?"


@options.command("new")
def new(template: str | None, named: str | None, output: str, sides: str | None, force: bool, **chosen: Any) -> None:
    """Write an empty workbook, ready to type into.

    TEMPLATE is a name that elo-sheets templates lists, or a TOML file of one's own.
    """
    from elo_sheets.replaying.settings import first_alone
    from elo_sheets.workbook import new_book
    from elo_sheets.workbook.build import dialect_notes, templates_of_games
    from elo_sheets.workbook.templates import NAMES, systems_asked, template_of_sides

    asked = {text for text in (template, named) if text is not None}
    if len(asked) != 1:
        got = " and ".join(map(repr, sorted(asked))) or "none"
        raise UsageError(f"expected one template, such as elo-sheets new league -o {output}, got {got}")
    template = template_of_sides(asked.pop(), sides)
    (first, *further), _ = systems_asked(template, chosen["system"])
    new_book(template, output, overwrite=force, **chosen)
    notes = [*dialect_notes(template, chosen["dialect"]), *first_alone(first, further, chosen["settings"])]
    if chosen["rows"] is not None and template in NAMES and template not in templates_of_games():
        notes.append(f"template {template} has no rows of games: --rows says nothing there")
    say_notes(notes)
    click.echo(f"wrote {output}")


class TemplateOption(click.Option):
    """An option whose help names the templates that hold games, looked up when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from elo_sheets.workbook.build import templates_of_games

        self.help = (
            f"{', '.join(templates_of_games())}, table. Unless given: journal with --player, event for a tournament "
            "report with ratings, else league."
        )
        return super().get_help_record(ctx)


@options.command("import", template=TemplateOption)
def import_(
    logs: tuple[str, ...],
    output: str,
    template: str | None,
    sides: str | None,
    dry_run: bool,
    as_json: bool,
    force: bool,
    how: Any,
    **asked: Any,
) -> None:
    """Read game logs into a workbook.

    Logs are CSV, PGN, workbooks, JSON, web pages, crosstables, tournament reports, and zip archives of them: files,
    patterns, or - for standard input.
    """
    from elo_sheets.uses.importing import import_logs
    from elo_sheets.workbook.templates import template_of_sides

    template = template if sides is None else template_of_sides(template or "league", sides)
    done = import_logs(logs, output, template=template, dry_run=dry_run, overwrite=force, **asked, **how)
    log = done.log
    if as_json:
        options.echo_json(
            {
                "schema": 1,
                **log.counts,
                "unrated": len(done.unrated),
                "problems": options.problem_records(log.problems),
                "players": done.players,
                "output": done.output,
                "settings": dict(done.settings),
                "origins": dict(done.settings.origins),
                "notes": done.notes,
            }
        )
    else:
        say_log(done.left_out, done.notes)
        where = done.output or "nothing written"
        unrated = f" ({len(done.unrated)} of them as points)" if done.unrated else ""
        counts = f"read {log.read}, kept {log.kept}, rejected {log.rejected}{unrated}"
        click.echo(f"{counts}, players {done.players}: {where}")
    if log.kept == 0:
        click.echo("elo-sheets: no game could be used, so no workbook was written", err=True)
        sys.exit(UNREADABLE)


def _codes(text: str) -> frozenset[str]:
    """Return the findings that codes, beginnings of codes or names, separated by commas, mean."""
    from elo_sheets.verdict.rules import find_codes

    return frozenset().union(*map(find_codes, text.split(",")))


CODES = options.Parsed("codes", _codes)


@options.command("validate", select=CODES, ignore=CODES)
def validate(
    book: str,
    given: tuple[str, ...],
    allowed: tuple[str, ...],
    show_roles: bool,
    select: tuple[frozenset[str], ...],
    ignore: tuple[frozenset[str], ...],
    annotate: str | None,
    form: str | None,
    as_json: bool,
    force: bool,
    **how: Any,
) -> None:
    """Say what is wrong in a workbook, where, and what it costs.

    A real engine recalculates BOOK, and its games are replayed. It may be a book of elo-sheets or anybody's.
    """
    from elo_sheets.validate import validate as check
    from elo_sheets.verdict.rules import without

    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other; give one of them")
    if annotate is not None:
        from elo_sheets.verdict.annotate import refuse_copy

        refuse_copy(book, annotate, overwrite=force)
    verdict = check(book, roles=_roles(given), allow=_houses(allowed), **how)
    verdict = without(verdict, frozenset().union(*select), frozenset().union(*ignore))
    _print(verdict, "json" if as_json else form or "text", show_roles)
    if annotate is not None:
        _annotate(book, annotate, verdict, force)
    sys.exit(verdict.exit_code)


def _roles(given: tuple[str, ...]) -> dict[str, str]:
    from elo_sheets.recognise.given import parse_role

    roles: dict[str, str] = {}
    for role, cells in map(parse_role, given):
        roles[role] = f"{roles[role]},{cells}" if role in roles else cells
    return roles


def _houses(allowed: tuple[str, ...]) -> dict[str, float]:
    if not allowed:
        return {}
    from elo_sheets.detective.houses import parse_house

    return dict(map(parse_house, allowed))


def _print(verdict: Verdict, form: str, show_roles: bool) -> None:
    from elo_sheets.verdict.report import as_record, as_text

    if form == "json":
        options.echo_json(as_record(verdict))
    elif form == "sarif":
        from elo_sheets.verdict.sarif import as_sarif

        options.echo_json(as_sarif(verdict))
    else:
        colour = has_colour(sys.stdout)
        with unguarded():  # it has shown what stands in the book
            click.echo(as_text(verdict, roles=show_roles, colour=colour))


def _annotate(book: str, copy: str, verdict: Verdict, force: bool) -> None:
    from elo_sheets.verdict.annotate import annotate
    from elo_sheets.verdict.findings import UNCHECKED

    if verdict.status == UNCHECKED and not verdict.findings:
        click.echo(f"note: there is nothing to mark, so {copy} is not written", err=True)
        return
    done = annotate(book, copy, verdict, overwrite=force)
    cells = "1 cell" if done.cells == 1 else f"{done.cells} cells"
    click.echo(f"wrote {copy}: {cells} marked, the sheet {done.sheet!r} lists the findings", err=True)
    say_notes(done.notes)


COMMANDS = (new, import_, validate)
