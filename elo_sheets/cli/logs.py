"""`replay`, `compare` and `fit`: logs in, ratings and predictions out, no workbook."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log, say_note
from elo_sheets.errors import UsageError
from elo_sheets.replaying.history import BURN_IN

if TYPE_CHECKING:
    from elo_sheets.uses.exporting import ReplayedLogs

# What a word of `fit` looks like that is no log, right or wrong.
_RANGE = re.compile(r"\s*[\w-]+\s*=[^/\\]*")


@options.command("replay")
def replay(
    logs: tuple[str, ...],
    output: str | None,
    compare: str | None,
    ranges: str | None,
    burn_in: int | None,
    raw: bool,
    workers: int,
    as_json: bool,
    force: bool,
    how: Any,
    **asked: Any,
) -> None:
    """Replay game logs and print the final ratings.

    Without --player every player's rating follows from the games; with it that player's alone, from the
    opponents' published ratings.
    """
    from elo_sheets.uses.exporting import replay_logs, write_history

    how |= {"workers": workers}
    if compare is not None or ranges is not None:
        system, player, as_book = (asked.pop(name) for name in ("system", "player", "as_book"))
        if player is not None or output is not None or raw or as_book:
            raise UsageError(
                "--compare and --fit rate the whole pool and print: leave out --player, -o, --raw and --as-book"
            )
        verb = "compare" if ranges is None else "fit"
        say_note(f"elo-sheets {verb} is the verb for this")
        asked["burn_in"] = BURN_IN if burn_in is None else burn_in
        _predict(logs, (system if compare is None else compare).split(","), ranges, as_json, **asked, **how)
        return
    if burn_in is not None:
        raise UsageError("--burn-in is for the score of predictions: give --compare or --fit, or leave it out")
    if raw and output is None:
        raise UsageError("--raw says how names are written to a file: give -o, or leave it out")
    if output == "-" and as_json:
        raise UsageError("-o - and --json both print to the standard output: give -o a file, or leave one out")

    done = replay_logs(logs, history=output is not None, **asked, **how)
    if output is not None:
        write_history(done, output, raw=raw, overwrite=force)
    log = done.log
    ratings = done.replayed.ratings
    if as_json:
        options.echo_json(_replay_record(done))
    else:
        say_log(log.problems, done.notes)
        if output != "-":
            shown = {"player": "{}", "rating": "{:.1f}"}
            columns = [
                [*map(shown.get(name, "{:g}" if ratings[name].dtype.kind == "f" else "{}").format, ratings[name])]
                for name in ratings.columns
            ]
            click.echo(options.text_table(list(ratings.columns), list(zip(*columns, strict=True))))
    if log.kept == 0:
        click.echo("elo-sheets: no game could be used", err=True)
        sys.exit(3)


def _replay_record(done: ReplayedLogs) -> dict[str, Any]:
    return {
        "schema": 1,
        "system": done.system,
        "settings": dict(done.settings),
        "origins": dict(done.settings.origins),
        "fitted": list(done.fitted),
        "ratings": done.replayed.ratings.to_dict("records"),
        **done.log.counts,
        "problems": options.problem_records(done.log.problems),
        "notes": done.notes,
    }


# So many players a comparison prints.
MOST_PLAYERS = 20


@options.command("compare")
def compare(logs: tuple[str, ...], system: list[str], as_json: bool, how: Any, **asked: Any) -> None:
    """Compare how rating systems rate a log, and predict it.

    Prints the ratings of several systems side by side, and how well each predicted the games. A prediction is what a
    rule expected of a game from what it knew before the rating period. A setting goes to every system that has it,
    glicko2.tau=0.3 to that system alone; so does --start glicko2:START.
    """
    _predict(logs, system, None, as_json, **asked, **how)


@options.command("fit")
def fit(given: tuple[str, ...], system: str, as_json: bool, how: Any, **asked: Any) -> None:
    """Find the settings that predict a log best.

    Best is what gives the smallest log-loss within the ranges. The settings of one system are searched; those that are
    not named keep what --set says, or their defaults.
    """
    ranges = [one for one in given if _RANGE.fullmatch(one) and not Path(one).exists()]
    logs = [one for one in given if one not in ranges]
    if not ranges or not logs:
        raise UsageError("expected logs and the ranges to search, such as elo-sheets fit season.csv k=10:60")
    _predict(logs, [system], ",".join(ranges), as_json, **asked, **how)


def _predict(
    logs: Sequence[str],
    asked_for: list[str],
    ranges: str | None,
    as_json: bool,
    everyone: bool = False,
    **asked: Any,
) -> None:
    """Compare systems, or fit the first one, and print what came out."""
    from elo_sheets.team_games import TeamGamesRead, shape_of
    from elo_sheets.uses.predicting import comparison_record, predict_logs
    from elo_sheets.uses.prediction import parse_ranges

    systems = [name.strip() for name in asked_for if name.strip()]
    if not systems:
        raise UsageError("expected systems to compare, such as elo-sheets compare season.csv --system elo,glicko2")
    searched = None if ranges is None else parse_ranges(ranges)
    fitting = options.watched("{} replays, log-loss {:.6f}".format)
    done = predict_logs(logs, systems=systems, ranges=searched, fitting=fitting, **asked)
    if as_json:
        options.echo_json(comparison_record(done) | {"problems": options.problem_records(done.log.problems)})
        return
    say_log(done.log.problems, done.notes)
    if done.fitted is not None:
        found = ", ".join(f"{name}={value:.4g}" for name, value in done.fitted.found.items())
        click.echo(f"best for system {done.fitted.system}: {found}   ({done.fitted.evaluations} replays)\n")
        say_note(
            "the figures are of the games that the settings were fitted to, and flatter them: later games will tell"
        )
    compared = done.compared
    counted = f"{compared.scored} of {compared.games} games"
    if isinstance(done.log, TeamGamesRead) and shape_of(done.log.games)[0] > 2:
        counted = f"{compared.scored} pairs of sides of {compared.games} games"
    click.echo(f"{counted} scored, after {compared.burn_in} games of each player")
    rows = [
        [one.system, *("–" if x is None else f"{x:.4f}" for x in (one.log_loss, one.brier_score, one.accuracy))]
        for one in compared.systems
    ]
    click.echo(options.text_table(["system", "log-loss", "Brier score", "accuracy"], rows))
    for one in compared.systems:
        if one.reason:
            say_note(f"{one.reason}")
        else:
            bins = "  ".join(f"{b['expected']:.2f}→{b['score']:.2f} ({b['games']:.0f})" for b in one.calibration)
            click.echo(f"{one.system} expected → scored (games): {bins}")
    shown = [
        [name, *(f"{one.ratings[name]:.1f}" if name in one.ratings else "–" for one in compared.systems)]
        for name in (compared.players if everyone else compared.players[:MOST_PLAYERS])
    ]
    click.echo("\n" + options.text_table(["player", *(one.system for one in compared.systems)], shown))
    if len(shown) < len(compared.players):
        click.echo(f"and {len(compared.players) - len(shown)} more players (--all prints them)")


COMMANDS = (replay, compare, fit)
