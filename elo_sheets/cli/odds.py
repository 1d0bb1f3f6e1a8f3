"""`match` and `simulate`: the odds of a match, and of the rest of a season."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from elo_sheets.cli import _options as options
from elo_sheets.cli._notes import say_log

# Places that a table for people shows.
MOST_PLACES = 8


class Score(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A score so far, such as 2-1 or 2.5-1.5."""

    name = "score"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        from elo_sheets.readers._results import outcome

        points = value if isinstance(value, tuple) else outcome(value).points
        if points is None:
            self.fail(f"expected a score such as 2-1 or 2.5-1.5, got {value!r}", param, ctx)
        return points


class PlayersRating(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A player's rating, or with --go egf his rank, such as 3k or 1d."""

    name = "rating"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, str) and value.strip()[-1:].lower() in ("k", "d", "p"):
            go = None if ctx is None else ctx.params.get("go")
            if go == "aga":
                self.fail(f"expected a rating of the AGA, as a rank there spans many, got {value!r}", param, ctx)
            if go == "egf":
                from elo_sheets.errors import UsageError
                from elo_sheets.systems.egf import rating_of_rank

                try:
                    return rating_of_rank(value)
                except UsageError as error:
                    self.fail(str(error), param, ctx)
        return float(click.FLOAT.convert(value, param, ctx))


class Draws(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A model of draws by its name, or the share of drawn games."""

    name = "draws"

    def __init__(self, *models: str) -> None:
        self.models = models

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | float:
        if value in self.models:
            return str(value)
        try:
            share = float(value)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"expected {', '.join(self.models)}, or a share from 0 to 1, got {value!r}", param, ctx)
        return share


draws_of_log_option = click.option(
    "--draws",
    type=Draws("log", "labelle", "none"),
    default="log",
    show_default=True,
    metavar="log|labelle|none|P",
    help="Share of drawn games: that of the log, by Labelle's model of chess, none, or P.",
)


class PointsFor(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Points for a win, a draw and a loss, such as 3,1,0."""

    name = "points"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float]:
        if isinstance(value, tuple):
            return value
        try:
            win, draw, loss = map(float, value.split(","))
        except ValueError:
            self.fail(f"expected points for a win, a draw and a loss, such as 3,1,0, got {value!r}", param, ctx)
        return win, draw, loss


@click.command(
    epilog="\b\nExamples:\n  elo-sheets match 2000 2400 --draws labelle\n"
    "  elo-sheets match 1600 1500 --best-of 5 --score 2-1\n"
    "  elo-sheets match 2750 2750 --draws labelle --first a --games 14 --score 6.5-5.5\n"
    "  elo-sheets match 1700 1500 --tennis --best-of 5\n"
    "  elo-sheets match 1d 3k --go egf\n"
    "  elo-sheets match -2.3 1.5 --go aga\n"
    "  elo-sheets match --expected 0.75"
)
@click.argument("rating", type=PlayersRating(), required=False, metavar="[A]")
@click.argument("opponent", type=PlayersRating(), required=False, metavar="[B]")
@click.option(
    "--curve",
    type=click.Choice(["logistic", "normal"]),
    help="The curve of expected scores: logistic unless the draws are Labelle's.",
)
@click.option("--scale", type=float, default=400.0, show_default=True, help="Points that mean odds of ten to one.")
@click.option(
    "--draws",
    type=Draws("labelle", "none"),
    default="none",
    show_default=True,
    metavar="labelle|none|P",
    help="Draws by Labelle's model of chess, none, or a share P of the games.",
)
@click.option(
    "--first",
    type=click.Choice(["a", "b"]),
    help="Who moves first in the next game; the players then take turns. With --draws labelle.",
)
@click.option("--best-of", type=int, metavar="N", help="The match is won by most of N games, an odd number.")
@click.option("--first-to", type=int, metavar="N", help="The match is won by the first with N wins, 1 ahead.")
@click.option("--win-by", type=int, metavar="M", help="The winner must be M wins ahead; alone: the first who is.")
@click.option("--games", type=int, metavar="N", help="The match has N games; it may end level.")
@click.option("--score", type=Score(), metavar="A-B", help="The score of the match so far, such as 2-1.")
@click.option(
    "--go",
    type=click.Choice(["egf", "aga"]),
    is_eager=True,  # before A and B, which are ranks only in Go
    help="The ratings are those of Go: of the EGF (since 2021; ranks such as 3k and 1d too) or the AGA.",
)
@click.option("--tennis", is_flag=True, help="The ratings are those of tennis, and the match is --best-of 3 or 5 sets.")
@click.option(
    "--expected",
    type=float,
    metavar="P",
    help="Start from this expected score per game: gives the difference. A and B may be left out.",
)
@options.json_option
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


@click.command(
    epilog="\b\nExamples:\n  elo-sheets simulate season.csv\n"
    "  elo-sheets simulate season.csv --remaining fixtures.csv --points 3,1,0 --set advantage=60\n"
    '  elo-sheets simulate games.pgn --published --double-round-robin --player "Player 1" --player "Player 2"\n'
    "  elo-sheets simulate season.csv --system glicko2 --update --runs 50000 --seed 7 --json"
)
@options.logs_argument
@click.option(
    "--remaining",
    multiple=True,
    metavar="FILE",
    help="The games to come: rows without a result. Without it those of the logs; may be given again.",
)
@click.option(
    "--round-robin", "schedule", flag_value="round-robin", help="The games to come are all against all, once."
)
@click.option(
    "--double-round-robin", "schedule", flag_value="double-round-robin", help="… and once more with colours reversed."
)
@click.option("--player", "only", multiple=True, metavar="NAME", help="A player of the round robin; all unless given.")
@click.option(
    "--runs", type=click.IntRange(min=1), default=10_000, show_default=True, metavar="N", help="Runs to play."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, metavar="N", help="Another N: other runs."
)
@options.settings_option
@draws_of_log_option
@click.option(
    "--points",
    type=PointsFor(),
    default="1,0.5,0",
    show_default=True,
    metavar="WIN,DRAW,LOSS",
    help="Points for a result; 3,1,0 in football.",
)
@click.option("--since", metavar="DATE", help="Count the points of games from this day on; all rate the players.")
@click.option(
    "--update/--no-update",
    default=False,
    help="Play on with the ratings that each run has come to, or with those of now (default).",
)
@click.option("--published", is_flag=True, help="Begin with the players' last published ratings.")
@options.start_option
@options.as_book_option
@options.reading_options
@options.json_option
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


@click.command(
    epilog='\b\nExamples:\n  elo-sheets predict "Player 1" "Player 2" --log season.csv\n'
    "  elo-sheets predict Brazil Croatia --log matches.csv --system world-football --neutral\n"
    "  elo-sheets predict 1700 1500 --draws 0.25\n"
    '  elo-sheets predict "Player 1 / Player 2" "Player 3 / Player 4" --log doubles.csv'
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="LOG",
    help="The games that the ratings follow from; may be given again.",
)
@options.settings_option
@draws_of_log_option
@click.option("--neutral", is_flag=True, help="Nobody plays at home.")
@click.option("--on", metavar="DATE", help="The day of the game.  [default: that of the latest game]")
@options.start_option
@options.as_book_option
@options.reading_options
@options.json_option
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
