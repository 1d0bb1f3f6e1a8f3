"""When ratings are updated: the rating period, event and season of each game, and its day as a number."""

from __future__ import annotations

from typing import Any

from elo_sheets._late import Array, np, pd
from elo_sheets.errors import UnreadableInput, UsageError
from elo_sheets.games import OTHER

# Games of one event name that lie further apart are two events, such as a club's championships of two years.
EVENT_GAP_DAYS = 60

# Without a column that says the season, a new one begins after a break of the whole log that is longer.
SEASON_GAP_DAYS = 60

# A value of a period's column that comes back after so many days belongs to another season.
COLUMN_GAP_DAYS = 180


# The periods that a book has counted itself, which are taken as they are.
COUNTED = f"{OTHER}(counted)"
GAME_BY_GAME = "say --set period=game to rate game by game"


def period_keys(games: pd.DataFrame, period: str) -> Array:
    """Return a whole number for each game that is equal within a period; later periods have higher numbers.

    Games: their position. Months and years: counted through, so that idle ones count. Events: the rank of their last
    game; a name that comes back after `EVENT_GAP_DAYS` is another event. A column of the log: the rank of its value,
    by size if all are numbers, else by first appearance, season by season where the log has seasons. Raises
    `UnreadableInput` that names the first game without what the period needs.
    """
    if period == "game":
        return np.arange(len(games))
    if period in {"month", "year"}:
        dates = games["date"]
        check_present(games, dates.notna(), f"a {period}ly period needs the date of every game")
        years = dates.dt.year.to_numpy().astype("int64")
        return np.asarray(years if period == "year" else years * 12 + dates.dt.month.to_numpy().astype("int64") - 1)
    if period == "event":
        return _event_periods(games)
    if period == COUNTED:
        return games[COUNTED].to_numpy("int64")
    name = period.removeprefix(OTHER)
    column = games[name] if name in games else games.get(period)
    if column is None:
        raise UsageError(
            f"the log has no column {name!r} for the rating period; say which one holds it: --map {OTHER}{name}=HEADER"
        )
    text = column.astype(str).str.strip()
    check_present(games, column.notna() & (text != ""), f"a period by {name} needs a value in every game")
    if "season" in games and name != "season":
        seasons = pd.Series(season_numbers(games), index=games.index)
        within = [text[seasons == season] for season in sorted(seasons.unique())]
        keys = pd.Series(0, index=games.index, dtype="int64")
        first = 0
        for values in within:
            keys[values.index] = _ranks(values) + first
            first = int(keys.max()) + 1
        return keys.to_numpy()
    far = games["date"].sort_values(kind="stable").groupby(text).diff() > pd.Timedelta(days=COLUMN_GAP_DAYS)
    if far.any():
        raise UnreadableInput(
            f"{name} {text[far].iloc[0]!r} comes back after more than {COLUMN_GAP_DAYS} days: say which column holds "
            "the season (--map season=HEADER), or take --set period=month"
        )
    return _ranks(text)


def _ranks(text: pd.Series[Any]) -> Array:
    """Return the rank of each value, by size if all are numbers, else by first appearance."""
    numbers = pd.to_numeric(text, errors="coerce")
    if numbers.notna().all():
        return numbers.rank(method="dense").to_numpy().astype("int64") - 1
    return np.asarray(pd.factorize(text)[0]).astype("int64")


def _event_periods(games: pd.DataFrame) -> Array:
    events = games.get("event", pd.Series("", index=games.index))
    check_present(games, events.astype(str).str.strip() != "", "a period by event needs the event of every game")
    codes = pd.Series(event_codes(games))
    last = pd.Series(range(len(games))).groupby(codes).transform("max")
    ranks: Array = last.rank(method="dense").to_numpy().astype("int64") - 1
    return ranks


def event_codes(games: pd.DataFrame) -> Array:
    """Return a number for each game that is equal within an event."""
    if "event" not in games:
        return np.zeros(len(games), "int64")
    events = games["event"].astype(str).reset_index(drop=True)
    dates = games["date"].reset_index(drop=True)
    known = dates.groupby(events).ffill()
    apart = known.groupby(events).diff() > pd.Timedelta(days=EVENT_GAP_DAYS)
    again = apart.astype("int64").groupby(events).cumsum()
    return np.asarray(pd.factorize(events + "\0" + again.astype(str))[0]).astype("int64")


def cut_events(games: pd.DataFrame) -> tuple[int | None, int | None]:
    """Return the first games of which a book, whose events are runs of rows, and `event_codes` think otherwise.

    By position: the first whose event comes back after another one, and the first whose event goes on after a long
    pause; None for neither.
    """
    codes, names = event_codes(games).tolist(), games["event"].astype(str).tolist() if "event" in games else []
    back = paused = None
    seen: set[int] = set()
    for at, name in enumerate(names):
        goes_on = at > 0 and name.lower() == names[at - 1].lower()
        if back is None and not goes_on and codes[at] in seen:
            back = at
        if paused is None and goes_on and name == names[at - 1] and codes[at] != codes[at - 1]:
            paused = at
        seen.add(codes[at])
    return back, paused


def resumed_events(games: pd.DataFrame) -> list[int]:
    """Return the positions of the games with which an event of a known name begins anew, after a long pause."""
    if "event" not in games:
        return []
    first = ~pd.Series(event_codes(games)).duplicated()
    known = games["event"].astype(str).reset_index(drop=True).duplicated()
    return [int(at) for at in (first & known).to_numpy().nonzero()[0]]


def check_present(games: pd.DataFrame, present: pd.Series[Any], message: str, remedy: str = GAME_BY_GAME) -> None:
    """Raise `UnreadableInput` that names the first game where something is not present."""
    if not present.all():
        at = int((~present).to_numpy().argmax())
        source, row = games["source"].iloc[at], games["source_row"].iloc[at]
        raise UnreadableInput(f"{message}; {source}, row {row} has none ({remedy})")


def serial_days(dates: pd.Series[Any]) -> Array:
    """Return dates as spreadsheet serial numbers, the time of day as fraction; an unknown date as 0."""
    days = (dates - pd.Timestamp("1899-12-30")) / pd.Timedelta(days=1)
    return days.fillna(0.0).to_numpy()


# 1 January 1900: Excel has no day before it.
FIRST_SHEET_DAY = 2.0
# 1 March 1900: Excel counts a 29 February before it, and shows the numbers below as one day later than others do.
LEAP_DAY = 61


def sheet_days(dates: pd.Series[Any]) -> list[float | str | None]:
    """Return dates as a sheet can hold them: serial numbers, an unknown date as None, one before 1900 as text."""
    days = serial_days(dates).tolist()
    return [
        day if day >= FIRST_SHEET_DAY else (f"{date:%Y-%m-%d}" if date == date else None)
        for day, date in zip(days, dates.tolist(), strict=True)
    ]


def season_numbers(games: pd.DataFrame) -> Array:
    """Return a number for each game's season, 0 where it is not known.

    The log's column `season` counts, by size or first appearance. Without it a new season begins after a break of more
    than `SEASON_GAP_DAYS` in which nobody played.
    """
    if "season" not in games:
        dates = games["date"].ffill()
        apart = dates.diff() > pd.Timedelta(days=SEASON_GAP_DAYS)
        return np.asarray(apart.cumsum() + 1, "float64")
    text = games["season"].astype(str).str.strip()
    numbers = pd.to_numeric(text, errors="coerce")
    if numbers.notna().all():
        return np.asarray(numbers, "float64")
    codes: Array = pd.factorize(text.where(text != "", None))[0] + 1.0
    return codes
