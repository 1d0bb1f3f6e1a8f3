"""What the owner of a pool types and what the Ledger computes, column by column: their names, labels and order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from elo_sheets._late import pd
from elo_sheets.errors import UsageError
from elo_sheets.games import RESULTS
from elo_sheets.replaying.periods import season_numbers, sheet_days
from elo_sheets.replaying.replay import LAST_SEEN
from elo_sheets.replaying.starting import Starts
from elo_sheets.systems import System, lines
from elo_sheets.workbook.book import Columns
from elo_sheets.workbook.facts import ABOVE, OF_A_BOOK, best_with_start, headed, step_facts, step_style, step_unit
from elo_sheets.workbook.layout import column_text, number_or
from elo_sheets.workbook.plan import CellValue
from elo_sheets.workbook.sourced import SOURCE, sources_told
from elo_sheets.workbook.sports.profiles import Words, words_of

SCORES = {text: score for score, text in RESULTS.items()}

# What a game may say besides its result: the column of the games table, and the label on the sheet Games. `{white}`
# and `{black}` are what the template calls the sides.
EXTRA = {
    "points": ("white_points", "{white} points"),
    "opponent_points": ("black_points", "{black} points"),
    "neutral": ("neutral", "Neutral"),
    "weight": ("weight", "Weight"),
    "handicap": ("handicap", "Handicap"),
    "komi": ("komi", "Komi"),
    "knockout": ("knockout", "Knockout"),
    "shootout": ("shootout", "Shoot-out"),
    "seasons": ("season", "Season"),
}
# What both sides scored, White first.
POINTS = ("points", "opponent_points")
# How the Ledger's headers say that a state is the one before the game.
BEFORE = " before"
FLAGS = {"neutral", "knockout"}

# The labels on the sheet Players for when a player was last seen before the games of a book.
LAST = {"last_date": "Away since", "last_season": "Season before"}
# What has passed since a player's last game, and the column with the latest that he has played so far.
LATEST = {"days": "last_date", "seasons": "last_season"}


def sides_of(form: Mapping[str, Any]) -> tuple[str, str]:
    """Return what a template calls the two sides of a game."""
    return words_of(form).sides


def extra_labels(system: System, sides: Sequence[str]) -> dict[str, str]:
    """Return the labels of the further columns that a system's games need, by what the steps read."""
    white, black = sides
    return {name: label.format(white=white, black=black) for name, (_, label) in EXTRA.items() if name in system.reads}


def start_labels(system: System) -> dict[str, str]:
    """Return the labels of the columns of Players for what a player starts from besides his rating."""
    names = {s.name: system.label(s.name).removesuffix(BEFORE) for s in system.state if s.name != "rating"}
    return {name: f"Start {label if label[:2].isupper() else label.lower()}" for name, label in names.items()}


def state_label(system: System, name: str) -> str:
    """Return what Players and lists call a state besides the rating, which there is the one after the games."""
    label = system.label(name)
    stem = label.removesuffix(BEFORE)
    return f"{stem} in all" if stem != label and step_unit(system, name) == "count" else stem


def state_columns(column: Mapping[str, Any], system: System, role: str) -> list[dict[str, Any]]:
    """Return a column for each state besides the rating, with a role such as `state:deviation`."""
    return [
        headed(column, state_label(system, s.name), role=f"{role}:{s.name}", style=step_style(system, s.name))
        for s in system.state
        if s.name != "rating"
    ]


def listed(formula: str, unit: str) -> tuple[str, str]:
    """Return formula and unit of a column of Players that is empty where nobody is named."""
    return f'IF([Player]="","",{formula})', unit


def typed_states(
    columns: Columns, known: Sequence[str], ids: Sequence[int], labels: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Return what is typed of the start of each player listed, by name; `labels` are the columns by state."""
    found: dict[str, dict[str, float]] = {}
    for at, number in enumerate(ids):
        if number:
            values = {state: number_or(columns[label][at], None) for state, label in labels.items()}
            found[known[at]] = {state: float(value) for state, value in values.items() if value is not None}
    return found


def reached(
    system: System, label: Callable[[str], str], start: Callable[[str, str], str], initial: str, best: str
) -> dict[str, tuple[str, str]]:
    """Return formula and unit of what each player has reached, by role.

    `label` gives the headers of the Ledger's columns, `start` the formula of what a state starts from, by its name and
    the cell where that may be typed; `initial` is the cell of the initial rating, `best` the best rating after a game.
    """
    starts = {"player_rating": ("rating", "[Starts at]")}
    starts |= {f"state:{name}": (name, start(name, f"[{text}]")) for name, text in start_labels(system).items()}
    found = {}
    for role, (name, begin) in starts.items():
        after = column_text(label(f"{name}_after"))
        formula = f"IF([Last row]=0,{begin},INDEX(Ledger[{after}],[Last row]))"
        found[role] = listed(formula, step_unit(system, name))
    day = "INDEX(Ledger[Date],[Last row])"
    return found | {
        "starts_at": listed(f"IF(ISNUMBER([Start rating]),[Start rating],{initial})", "points"),
        "player_best": listed(best_with_start(system, best), "points"),
        "last_day": listed(f'IF([Last row]=0,"",IF({day}=0,"",{day}))', "date"),
    }


def last_labels(system: System) -> dict[str, str]:
    """Return the labels of the columns of Players for when a player was last seen before the book's games."""
    return {name: label for name, label in LAST.items() if LAST_SEEN[name] & system.reads}


def personal_labels(system: System) -> dict[str, str]:
    """Return the labels of the columns of Players for settings that differ from player to player."""
    return {p.name: p.label for p in system.live if p.per_player}


def started(
    names: Sequence[str], start: Starts, system: System, labels: Sequence[str], rows: int
) -> dict[str, list[CellValue]]:
    """Return the columns `labels` of Players for the players of a log, with empty rows up to the row count."""
    columns: dict[str, list[CellValue]] = {label: [None] * rows for label in labels}
    columns["Player"][: len(names)] = names
    typed = {"rating": "Start rating"} | start_labels(system) | personal_labels(system)
    for at, name in enumerate(names):
        for state, value in start.states.get(name, {}).items():
            if typed.get(state) not in columns:
                raise UsageError(
                    f"--start gives {state} of {name!r}, which this form of system {system.name} does not read"
                )
            columns[typed[state]][at] = value
    return columns


def game_columns(games: pd.DataFrame, system: System, words: Words, rows: int) -> Columns:
    """Return what the owner of a games table would have typed, with empty rows up to the row count."""
    event, sides = games.get("event", games.get("pool")), words.sides
    columns: dict[str, list[CellValue]] = {
        "Date": list(sheet_days(games["date"])),
        sides[0]: list(games["white"]),
        sides[1]: list(games["black"]),
        "Result": _results(games, system, words),
        "Event": [None] * len(games) if event is None else [text or None for text in event.tolist()],
    }
    columns[SOURCE] = sources_told(games)
    for name, label in extra_labels(system, sides).items():
        column = EXTRA[name][0]
        if name == "seasons":
            columns[label] = [float(number) or None for number in season_numbers(games)]
        elif column not in games:
            columns[label] = [None] * len(games)
        else:
            numbers = games[column].astype("float64").tolist()
            columns[label] = [_typed(name, value, sides) for value in numbers]
    spare: list[CellValue] = [None] * (rows - len(games))
    return {label: values + spare for label, values in columns.items()}


def _results(games: pd.DataFrame, system: System, words: Words) -> list[CellValue]:
    """Return what is typed for each result: the score where the log has it and no column of points does."""
    scores = games["score"].tolist()
    if not words.scores or "points" in system.reads or not {"white_points", "black_points"} <= set(games.columns):
        return [words.text(score) for score in scores]
    points = (games[column].astype("float64").tolist() for column in ("white_points", "black_points"))
    return [words.text(score, pair) for score, pair in zip(scores, zip(*points, strict=True), strict=True)]


def _typed(name: str, value: float, sides: Sequence[str]) -> CellValue:
    if value != value:
        return None
    if name in FLAGS:
        return "yes" if value else None
    if name == "shootout":
        return {1.0: sides[0], -1.0: sides[1]}.get(value)
    return value


def pool_step_names(system: System, period: str) -> list[str]:
    """Return the names of the Ledger's columns that depend on the system and the period, in order."""
    names = [name for name in EXTRA if name in system.reads and name not in {"opponent_points", "seasons"}]
    names += ["season"] if "seasons" in system.reads else []
    names += [p.name for p in system.live if p.per_player]
    if period != "game":
        names += ["event_name"] if period == "event" else []
        names += ["period", "same"]
        names += ["event_back"] if period == "event" else []
    names += ["elapsed"] if "elapsed" in system.reads and period != "game" else []
    for name, last in LATEST.items():
        names += [last, name] if name in system.reads else []
    names += [state.name for state in system.state]
    names += [line.name for line in lines((*system.opening, *system.game))]
    if period != "game":
        names += [f"period_{name}" for name in system.sums] + ["period_games"]
    names += [line.name for line in lines(system.closing)]
    return names + [f"{state.name}{ABOVE}" for state in system.state]


def step_label(system: System, name: str, extra: Mapping[str, str]) -> str:
    """Return the header of a column of the Ledger."""
    if name in OF_A_BOOK or name.endswith(ABOVE):
        return step_facts(system, name).label
    return extra[name] if name in extra and name != "seasons" else system.label(name)
