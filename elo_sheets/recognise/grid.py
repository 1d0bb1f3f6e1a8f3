"""Regions of a sheet between blank lines: a header row, data rows, columns; and the words of headers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from elo_sheets.recognise.model import Key, Model

# Words that headers of a role have in common, folded: a hint, never a proof.
WORDS: dict[str, tuple[str, ...]] = {
    "won": ("w", "win", "wins", "won", "s", "sg", "g", "gew", "siege", "sieg", "v", "vitorias", "victoires", "gagnes",
            "ganados", "pg", "vinte", "wygrane", "gewonnen", "vyhry"),
    "drawn": ("d", "draw", "draws", "drawn", "t", "ties", "tied", "u", "un", "unentschieden", "n", "nuls", "e", "pe",
              "empates", "empatados", "pareggi", "remis", "remisen", "x", "remizy"),
    "lost": ("l", "loss", "losses", "lost", "niederlagen", "verl", "verloren", "p", "pp", "defaites", "perdus",
             "perdidos", "derrotas", "sconfitte", "porazki", "prohry"),
    "played": ("p", "pl", "gp", "games", "played", "matches", "sp", "spiele", "j", "joues", "pj", "jugados", "jogos",
               "partite", "mecze", "g", "gespeeld", "partien", "pld", "mp", "m"),
    "points": ("pts", "points", "pkt", "punkte", "puntos", "punti", "pontos", "pt", "punkty", "punten", "body"),
    "change": ("change", "delta", "δ", "gain", "+", "+ -", "anderung", "veranderung", "zuwachs", "variation",
               "variazione", "cambio", "variacion", "variacao", "verandering", "zmiana", "zmena", "andring", "muutos",
               "degisim", "valtozas", "изменение"),
    "after": ("after", "new", "neu", "neue", "nachher", "nouveau", "apres", "nuevo", "nuova", "nuovo", "dopo", "novo",
              "nova", "nieuw", "nieuwe", "nowy", "novy", "ny", "uusi", "yeni", "новый"),
    "rank": ("#", "pos", "rank", "rang", "platz", "pl", "place", "posicion", "no", "nr", "position", "lp",
             "puesto", "classement", "plaats", "plats", "plads", "plass", "miejsce", "poradi", "sija", "posizione",
             "hely", "helyezes", "lugar", "colocacao", "mesto", "место", "sira", "loc", "locul", "koht", "vieta",
             "順位", "名次", "排名", "순위"),
}  # fmt: skip


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Return a header in small letters without accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return re.sub(r"[^\w#+ ]+", " ", "".join(c for c in plain if not unicodedata.combining(c))).strip()


def says(header: str, role: str) -> bool:
    """Return whether a header is one of a role's words, or has a long one of them in it."""
    text = folded(header)
    return text in WORDS[role] or any(len(word) > 3 and word in text.split() for word in WORDS[role])


@dataclass(frozen=True)
class Region:
    """A rectangle without blank rows or columns; `header` is its header row, or None."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int
    header: int | None

    @property
    def rows(self) -> range:
        """The data rows."""
        return range(self.top if self.header is None else self.header + 1, self.bottom + 1)

    @property
    def columns(self) -> range:
        """The columns, counted from 1."""
        return range(self.left, self.right + 1)

    def keys(self, column: int) -> list[Key]:
        """The data cells of one column, top down."""
        return [(self.sheet, row, column) for row in self.rows]

    def title(self, model: Model, column: int) -> str:
        """The header of a column, "" when there is none."""
        value = None if self.header is None else model.value((self.sheet, self.header, column))
        return str(value).strip() if isinstance(value, str) else ""


def regions(model: Model) -> Iterator[Region]:
    """Yield the rectangles of every sheet: parts divided by blank rows, and these by blank columns."""
    for sheet, cells in model.book.sheets.items():
        rows = sorted({row for row, _ in cells})
        for band in _stretches(rows):
            inside = set(band)
            columns = sorted({column for row, column in cells if row in inside})
            for span in _stretches(columns):
                within = set(span)
                used = [row for row in band if any((row, column) in cells for column in within)]
                if used:
                    yield _region(model, sheet, used[0], span[0], used[-1], span[-1])


def _stretches(numbers: list[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def _region(model: Model, sheet: str, top: int, left: int, bottom: int, right: int) -> Region:
    header = None
    for row in range(top, min(top + 6, bottom)):
        values = [model.value((sheet, row, column)) for column in range(left, right + 1)]
        texts = [value for value in values if isinstance(value, str) and value.strip()]
        if len(texts) >= 2 and not any(
            model.number((sheet, row, column)) is not None for column in range(left, right + 1)
        ):
            below = [model.number((sheet, row + 1, column)) for column in range(left, right + 1)]
            if any(number is not None for number in below):
                header = row
                break
    return Region(sheet, top, left, bottom, right, header)
