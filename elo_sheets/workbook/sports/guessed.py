"""Which sport a book is for: the one that is asked for, or the one of which the headers of a log tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from elo_sheets.errors import UsageError
from elo_sheets.games import GamesRead
from elo_sheets.systems import Rules
from elo_sheets.workbook.fits import fitting_systems
from elo_sheets.workbook.sports.profiles import CHESS, NONE, PROFILE, Words, as_option, from_option, guessed, profile
from elo_sheets.workbook.templates import first_system, template

# Why templates take no words of a sport.
OWN_WORDS = {
    "event": "the rounds, colours and byes of a chess tournament",
    "match": "A and B",
}


@dataclass(frozen=True)
class Sport:
    """What a book begins with: its rating system, and the words and settings of a profile that was asked for."""

    system: str | Rules | None
    words: Words | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_guessed: bool = False

    @property
    def option(self) -> dict[str, str]:
        """The words as the options of the book hold them."""
        return {} if self.words is None else {PROFILE: as_option(self.words)}


def asked_profile(name: str, asked: str | None, system: str | Rules | None) -> Sport:
    """Return what a profile says for a book of a template; `system` is the one that was asked for.

    Its settings belong to its system and count with it alone. Raises `UsageError` for a template whose words are
    its own.
    """
    worded = template(name).get("worded", False)
    if asked is None:
        return Sport(system, is_guessed=worded is True)
    if asked.lower() == NONE:
        return Sport(system)
    if not worded:
        why = OWN_WORDS.get(name, "words that suit every sport")
        raise UsageError(
            f"template {name} has words of its own ({why}): leave out --profile; league, season, journal, "
            "ratings-list and compare take the words of a sport (--template league)"
        )
    found = profile(asked)
    own = found.system if found.system in fitting_systems(name) else first_system(name)
    if system is None:
        system = own
    ours = found.settings if system == found.system else {}
    return Sport(system, found.words, ours)


def words_for(name: str, sport: Sport, log: GamesRead, notes: list[str]) -> dict[str, str]:
    """Return the words of a book as its options hold them, and say in the notes where they come from.

    A log with draws has them, whatever the sport says.
    """
    words = sport.words
    if sport.is_guessed:
        found = guessed(log.headers)
        if found is None or found[0].words.sides == CHESS.sides:
            return {}
        words = found[0].words
        says = " and ".join(words.sides) if name != "journal" or words.has_places else "neither White nor Black"
        notes.insert(
            0,
            f"the columns {' and '.join(found[1])} go with the profile {words.name}: the book says {says}; "
            f"--profile NAME takes another sport's words (elo-sheets profiles), --profile {NONE} White and Black",
        )
    played = log.games[~log.games["to_play"].astype(bool)] if "to_play" in log.games else log.games
    return with_draws(words, int((played["score"] == 0.5).sum()), notes)


def with_draws(words: Words | None, drawn: int, notes: list[str]) -> dict[str, str]:
    """Return the words of a book as its options hold them; with draws, said in the notes, where a log has as many."""
    if words is None:
        return {}
    if drawn and not words.draws:
        words = replace(words, draws=True)
        said = "1 game of the log is a draw" if drawn == 1 else f"{drawn} games of the log are draws"
        notes.append(f"{said}, which the profile {words.name} does not have: the book has them")
    return {PROFILE: as_option(words)}


def name_in(options: Mapping[str, str]) -> str:
    """Return the name of the profile whose words the options of a book hold, "" where they hold none."""
    return from_option(options[PROFILE]).name if PROFILE in options else ""
