"""`calc`, `event`, `goal` and `rating-odds`: the calculators of a game and of an event."""

from __future__ import annotations

from typing import Any

import click

from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log, say_note, say_notes
from elo_sheets.errors import UsageError


@options.command("calc")
def calc(a: float, b: float, result: str | None, as_json: bool, **how: Any) -> None:
    """Print what a game between two ratings would change.

    Expected scores, and for each of A's results both players' changes and new ratings. The rules none, cap400 and
    fide2650 are those of the calculator pages, on the logistic curve; fide-table reads FIDE's official table.
    """
    from elo_sheets.odds.calculators import RESULTS, calc_record, known
    from elo_sheets.odds.calculators import calc as run

    if result is not None:
        result = known("result", result, tuple(RESULTS))
    found = run(a, b, **how)
    if as_json:
        options.echo_json(calc_record(found, result))
        return
    click.echo(f"A {a:g}, B {b:g}: {_k(found.k.a, found.k_given.a, 'A')}, {_k(found.k.b, found.k_given.b, 'B')}")
    click.echo(f"expected score: A {found.expected.a:.4f}, B {found.expected.b:.4f}")
    rows = []
    for name, pair in found.outcomes.items():
        marked = f"{name} <" if name == result else name
        rows.append([marked, *(text for side in pair for text in (f"{side.change:+.2f}", f"{side.new:.2f}"))])
    click.echo("\n" + options.text_table(["A's result", "A change", "A new", "B change", "B new"], rows) + "\n")
    changed = [
        f"{side} counts {abs(n):g}" for side, n, cut in zip("AB", found.counted, found.capped, strict=True) if cut
    ]
    effect = (
        f"changed the difference of {abs(found.difference):g}: {', '.join(changed)}" if changed else "changed nothing"
    )
    click.echo(f"rule {found.rule} {effect}")
    click.echo(found.why)


def _k(used: float, given: float, side: str) -> str:
    return f"K of {side} {used:g}" + (f" (instead of {given:g}: K times games is 700 at most)" if used != given else "")


@options.command("event")
def event(
    rating: str | None,
    file: str | None,
    opponents: str | None,
    results: str | None,
    sides: str | None,
    player: str | None,
    keep_duplicates: bool,
    keep_names: tuple[str, ...],
    as_json: bool,
    output: str | None,
    force: bool,
    **how: Any,
) -> None:
    """Print what an event does to a rating.

    The games are given as two lists of equal length, or as a FILE: a FIDE tournament report (TRF), CSV or PGN whose
    opponents have ratings. Systems: elo, fide, uschess, dwz. Per game and in total: expected score and change; the new
    rating; performance ratings by three methods, and for dwz the federation's own; the average opponent. The rules are
    those of --as-of, else of the last day in the file, else today's. With -o and without a rating a FILE, which
    may be an event book, is written as a tournament report, and nobody is rated.
    """
    from elo_sheets.odds.calculators import number
    from elo_sheets.odds.event import event_record, parse_list, rate_event, rate_event_log

    reading: Any = {"keep_duplicates": keep_duplicates, "keep_names": keep_names}
    if output is not None and rating is not None and file is None and opponents is None:
        _write_whole(rating, output, force, as_json, reading)
        return
    if rating is None:
        raise UsageError(
            "expected the rating before the event, such as elo-sheets event 1500 --opponents … --results …"
        )
    try:
        own = number(rating, "rating")
    except UsageError as error:
        raise click.BadParameter(str(error), param_hint="'RATING'") from None
    if output is not None and file is None:
        raise UsageError("-o writes the event of a file: give the file, or leave it out")
    if file is not None:
        if opponents is not None or results is not None or sides is not None:
            raise UsageError("expected a file or --opponents and --results, got both")
        found = rate_event_log(own, file, player=player, reading=reading, **how)
    elif opponents is None or results is None:
        raise UsageError("expected --opponents with --results, or a file")
    elif keep_duplicates or keep_names:
        raise UsageError("--keep-duplicates and --keep-name say how to read a file: give the file, or leave them out")
    elif player is not None:
        raise UsageError("--player names whose games of a file they are: give the file, or leave it out")
    else:
        rated = parse_list(opponents)
        told = parse_list(results, is_one=len(rated) == 1)
        found = rate_event(own, rated, told, sides=parse_list(sides) if sides else (), **how)
    if output is not None and found.log is not None:
        from elo_sheets.uses.reporting import write_report

        write_report(found.log, output, overwrite=force)
    if as_json:
        log = found.log
        options.echo_json(
            event_record(found)
            | ({} if log is None else log.counts | {"problems": options.problem_records(log.problems)})
        )
        return
    if found.log is not None:
        say_log(found.log.problems, [])
    say_notes(found.notes)
    click.echo(_event_text(found))


def _write_whole(file: str, output: str, force: bool, as_json: bool, reading: Any) -> None:
    """Write the event of a file as a tournament report, whoever played in it."""
    from elo_sheets.readers import read
    from elo_sheets.uses.of_book import is_our_book
    from elo_sheets.uses.reporting import event_of_book, write_report

    log = event_of_book(file) if is_our_book(file) else read([file], **reading)
    write_report(log, output, overwrite=force)
    if as_json:
        record = {"schema": 1, "output": output, **log.counts}
        options.echo_json(record | {"problems": options.problem_records(log.problems), "notes": log.notes})
        return
    say_log(log.problems, log.notes)
    click.echo(f"wrote {output}")


def _event_text(found: Any) -> str:
    rows = [
        [game.name or str(i), f"{game.opponent:g}", f"{game.score:g}", f"{game.expected:.4f}", _points(game.change)]
        for i, game in enumerate(found.games, 1)
    ]
    total = f"{found.average_opponent:.1f}"
    rows.append(["all", total, f"{found.score:g}", f"{found.expected:.4f}", _points(found.change)])
    k = "special formula" if found.k is None else f"K {found.k:.4g}"
    details = "".join(f", {name.replace('_', ' ')} {value:g}" for name, value in found.details.items() if name != "k")
    exact, own = found.performance.exact, found.performance.federation
    performance = f"linear {found.performance.linear:.1f}, FIDE table {found.performance.table:g}, "
    if found.system == "dwz":
        performance = f"DWZ {'no value' if own is None else f'{own:g}'}, {performance}"
    return "\n".join(
        (
            options.text_table(["game", "opponent", "score", "expected", "change"], rows),
            "",
            f"system {found.system}, {k}{details}",
            f"rating {found.rating:g} -> {found.new:.2f}   "
            f"(change {found.change:+.2f}, rounded {found.rounded_change:+g})",
            f"performance: {performance}exact {'no value' if exact is None else f'{exact:.1f}'}",
        )
    )


def _points(change: float | None) -> str:
    return "–" if change is None else f"{change:+.2f}"


@options.command("goal")
def goal(rating: float, target: float | None, opponents: str | None, as_json: bool, **how: Any) -> None:
    """Print what a target rating or a norm takes.

    The score needed in these games, exactly and as the next half point, whether it is possible, and the chance of
    making it; the games needed at a share of the points; the performance needed. All games count at the rating before
    them.
    """
    from elo_sheets.odds.event import parse_list
    from elo_sheets.odds.goal import goal_odds, goal_record

    found = goal_odds(rating, target, [] if opponents is None else parse_list(opponents), **how)
    if as_json:
        options.echo_json(goal_record(found))
        return
    click.echo(f"expected score: {found.expected:.4f} of {len(found.opponents)}")
    if found.target is not None:
        count, needed = len(found.opponents), f"{found.score_needed:.4f}"
        if found.possible:
            needed += f", so {found.half_points_needed:g} of {count}; chance {found.chance:.4f}"
        elif found.score_needed is not None and found.score_needed > count:
            needed += f", which is more than {count} {'game' if count == 1 else 'games'} can give: not possible"
        else:
            needed += "; not possible in these games"
        click.echo(f"score needed for {found.target:g} at K {found.k:g}: {needed}")
        performance = found.performance_needed
        click.echo(f"performance needed: {'no value' if performance is None else f'{performance:.1f}'}")
        rows = [[f"{share:.0%}", "never" if n is None else str(n)] for share, n in found.games_needed.items()]
        click.echo("\n" + options.text_table(["share of points", "games needed"], rows))
    if found.norm is not None:
        click.echo(_norm_text(found.norm))
    if how["draws"] == 0:
        say_note("the chance counts no draws: give their share with --draws")


def _norm_text(norm: Any) -> str:
    name = f"{norm.title.upper()} norm (performance {norm.performance:g} by FIDE's table)"
    if norm.score_needed is None:
        return f"{name}: no score is enough"
    missing = [
        reason
        for met, reason in (
            (norm.average_enough, "the average of the opponents is too low"),
            (norm.games_enough, "it takes nine games"),
        )
        if not met
    ]
    end = f"; not possible: {' and '.join(missing)}" if missing else f"; chance {norm.chance:.4f}"
    return f"{name}: score needed {norm.score_needed:g}{end}"


@options.command("rating-odds")
def rating_odds(curve: str | None, step: float, most: float, form: str, as_json: bool) -> None:
    """Print what differences of ratings mean.

    The expected scores under each curve, FIDE's table, and the odds.
    """
    from elo_sheets.odds.calculators import known, odds_record
    from elo_sheets.odds.calculators import rating_odds as table

    form = "json" if as_json else known("format", form, ("text", "csv", "json"))
    record = odds_record(table(curve, step, most), step, most)
    rows = record["rows"]
    if form == "json":
        options.echo_json(record)
    elif form == "csv":
        click.echo(",".join(rows[0]))
        for row in rows:
            click.echo(",".join("" if value is None else repr(value) for value in row.values()))
    else:
        headers = {"fide": "FIDE table", "odds": "odds to one"}
        digits = {"difference": "g", "fide": ".2f"}
        shown = [
            ["–" if value is None else f"{value:{digits.get(name, '.4f')}}" for name, value in row.items()]
            for row in rows
        ]
        click.echo(options.text_table([headers.get(name, name) for name in rows[0]], shown, left=()))


COMMANDS = (calc, event, goal, rating_odds)
