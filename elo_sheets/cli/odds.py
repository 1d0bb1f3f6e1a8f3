"""`match` and `simulate`: the odds of a match, and of the rest of a season."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log
from elo_sheets.errors import UsageError

# Places that a table for people shows.
MOST_PLACES = 8


def _score(value: Any) -> tuple[float, float]:
    from elo_sheets.readers._results import outcome

    points = value if isinstance(value, tuple) else outcome(value).points
    if points is None:
        raise UsageError(f"expected a score such as 2-1 or 2.5-1.5, got {value!r}")
    return points


SCORE = options.Parsed("score", _score)


class PlayersRating(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A player's rating, or with --go egf his rank, such as 3k or 1d."""

    name = "rating"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, str) and value.strip()[-1:].lower() in ("k", "d", "p"):
            go = None if ctx is None else ctx.params.get("go")
            if go == "aga":
                self.fail(f"expected a rating of the AGA, as a rank there spans many, got {value!r}", param, ctx)
            if go == "egf":
                from elo_sheets.systems.egf import rating_of_rank

                try:
                    return rating_of_rank(value)
                except UsageError as error:
                    self.fail(str(error), param, ctx)
        return float(click.FLOAT.convert(value, param, ctx))


def _points(value: Any) -> tuple[float, float, float]:
    if isinstance(value, tuple):
        return value
    try:
        win, draw, loss = map(float, value.split(","))
    except ValueError:
        raise UsageError(f"expected points for a win, a draw and a loss, such as 3,1,0, got {value!r}") from None
    return win, draw, loss


POINTS = options.Parsed("points", _points)


@options.command("match", rating=PlayersRating(), opponent=PlayersRating(), score=SCORE)
def match(
    rating: float | None,
    opponent: float | None,
    best_of: int | None,
    first_to: int | None,
    win_by: int | None,
    games: int | None,
    score: tuple[float, float] | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Print the odds of a match between the ratings A and B.

    Win, draw and loss of the match from its score so far, the expected score of a game, the difference in points and
    in pawns, and what the format makes of the difference.
    """
    from elo_sheets.odds.forecast import match_forecast, match_record
    from elo_sheets.odds.match import Format

    form = Format(best_of, first_to, win_by, games, score)
    found = match_forecast(rating, opponent, form, **how)
    if as_json:
        options.echo_json(match_record(found))
        return
    headers = ["", "A wins", "draw", "B wins", "expected", "difference"]
    rows = [
        _odds_row("set" if how["tennis"] else "game", found.game, found.game_difference),
        _odds_row("match", found.odds, found.match_difference),
    ]
    click.echo(options.text_table(headers, rows))
    click.echo("")
    for label, number in (
        (f"expected score by the {found.curve} curve", found.expected),
        ("difference in points", found.difference),
        ("difference in pawns", found.pawns),
        ("points for a pawn at the average rating", found.elo_per_pawn),
        ("points that a draw is worth", found.draw_shift),
        ("points for a rank", found.elo_per_rank),
        ("points for a rank before 2021", found.elo_per_rank_before_2021),
        ("the format multiplies a small difference by", found.ratio),
    ):
        if number is not None:
            click.echo(f"{label}: {number:.6g}")


def _odds_row(name: str, odds: Any, difference: float | None) -> list[str]:
    shown = "none" if difference is None else f"{difference:+.1f}"
    return [name, *(f"{chance:.6f}" for chance in odds), f"{odds.score:.6f}", shown]


@options.command("simulate", points=POINTS)
def simulate(logs: list[Any], as_json: bool, as_book: bool, how: Any, **asked: Any) -> None:
    """Play out the rest of a season, or a schedule, many times.

    The logs are replayed under the rating system; what remains to be played is drawn at random from what the ratings
    forecast. Prints the points that each player can expect, the probability of each place (players level on points
    share theirs), and between which ratings he ends in nine runs of ten. Games of doubles, teams or tables of many are
    played out with the ratings of now.
    """
    from elo_sheets.uses.of_book import as_it_rates, but_its_rule
    from elo_sheets.uses.simulation import simulate_logs, simulation_record

    if as_book:
        own = as_it_rates(logs, asked["settings"], asked["start"])
        given = click.get_current_context().get_parameter_source("points")
        asked |= own.asked
        if own.points and given is ParameterSource.DEFAULT:
            asked["points"] = own.points
    found = simulate_logs(logs, playing=options.watched("{} of {} games played out".format), **asked, **how)
    if as_json:
        options.echo_json(simulation_record(found) | {"problems": options.problem_records(found.log.problems)})
        return
    say_log(found.log.problems, but_its_rule(found.notes) if as_book else found.notes)
    draws = found.draws if isinstance(found.draws, str) else f"{found.draws:.1%}"
    games = "game" if found.remaining == 1 else "games"
    click.echo(
        f"{found.remaining} {games} to come, {found.counted} of {found.played} played count; "
        f"{found.runs} runs, system {found.system}, draws {draws}\n"
    )
    shown = min(len(found.players), MOST_PLACES)
    headers = [
        "player",
        "points",
        "expected",
        *(f"{place}." for place in range(1, shown + 1)),
        "rating",
        "after (5 %–95 %)",
    ]
    rows = [
        [
            one.name,
            f"{one.points:g}",
            f"{one.expected_points:.2f}",
            *(f"{chance:.1%}" for chance in one.places[:shown]),
            f"{one.rating:.1f}",
            "–" if one.band is None else f"{one.band[1]:.1f} ({one.band[0]:.1f}–{one.band[2]:.1f})",
        ]
        for one in found.players
    ]
    click.echo(options.text_table(headers, rows))
    if shown < len(found.players):
        click.echo(f"\nThe first {shown} of {len(found.players)} places: --json has all.")


@options.command("predict")
def predict(a: str, b: str, as_json: bool, as_book: bool, how: Any, **asked: Any) -> None:
    """Print the odds of a game between the players A and B.

    A has White, or plays at home. Their ratings are those after the logs, or those of --start; without either A and B
    are ratings. In logs of doubles, teams or tables of many they are sides, such as "Player 1 / Player 2". A match of
    several games is what elo-sheets match is for.
    """
    from elo_sheets.uses.of_book import as_it_rates, but_its_rule
    from elo_sheets.uses.pairing import pairing_record, predict_pairing

    if as_book:
        asked |= as_it_rates(asked["logs"], asked["settings"], asked["start"]).asked
    found = predict_pairing(a, b, **asked, **how)
    if as_json:
        options.echo_json(pairing_record(found) | {"problems": options.problem_records(found.log.problems)})
        return
    say_log(found.log.problems, but_its_rule(found.notes) if as_book else found.notes)
    (first, second), (own, other), odds = found.players, found.ratings, found.odds
    headers = ["player", "rating", "wins", "draw", "expected"]
    rows = [
        [name, f"{rating:.1f}", f"{view.win:.1%}", f"{view.draw:.1%}", f"{view.score:.4f}"]
        for name, rating, view in ((first, own, odds), (second, other, odds.swapped))
    ]
    click.echo(options.text_table(headers, rows))


COMMANDS = (match, predict, simulate)
