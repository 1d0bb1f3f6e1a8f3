"""Sound rating workbooks as strangers make them: two dozen ways, each from a seed.

Every builder writes its cells by hand. Formulas carry marks (`draft.tag`) where a fault or a rewrite may strike:

- `den` `pw` `pow` `x` `diff` `own` `opp` `scale` `sc`: the parts of an expected score written out;
- `base` `upd` `K` `se` `S` `E`: the parts of a new rating, or of a change;
- `draw` the half point, `rng` a range, `prev` a look-up of the rating before, `bonus` the home edge, and so on.

The cells of one pattern are a run; `Layout.runs` lists them in the order of the games.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from elo_sheets.files.references import Table, column_letters, quote_sheet

from .draft import Content, Draft, Spot, plain, spot, tag
from .facing import Facing

NAMES = ("Anna", "Bruno", "Clara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Luca")


@dataclass
class Entry:
    """A game as it stands in the list: the cells of names, scores and date, those that a row of a list has."""

    row: int
    sheet: str
    players: tuple[Spot, ...] = ()
    scores: tuple[Spot, ...] = ()
    ratings: tuple[Spot, ...] = ()
    date: Spot | None = None
    marker: Spot | None = None


@dataclass
class Layout:
    """A sound workbook, and what the operators must know of it."""

    name: str
    kind: str
    seed: int
    draft: Draft
    ratings: list[Spot] = field(default_factory=list)  # the cells whose change is an effect
    runs: dict[str, list[Spot]] = field(default_factory=dict)
    games: list[Entry] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    ledger: str = ""  # the sheet whose rows are games
    shift: int = 0  # how many rows further down than in the list a game stands in the ledger
    spare: Spot | None = None  # a config cell that is not K
    k_cell: Spot | None = None
    rated: bool = True  # False: no rating sheet, so nothing to find
    traits: set[str] = field(default_factory=set)
    cells: dict[str, list[Spot]] = field(default_factory=dict)  # cells by what operators call them
    facing: Facing | None = None  # how its books are laid out in the end

    def run_of(self, where: Spot) -> str | None:
        """Return the name of the run that a cell belongs to."""
        return next((name for name, cells in self.runs.items() if where in cells), None)


class _Pen:
    """Writes cells and remembers runs and ratings."""

    def __init__(self, name: str, kind: str, seed: int) -> None:
        self.layout = Layout(name, kind, seed, Draft())
        self.rng = random.Random(f"{name} {seed}")
        self.sheet = ""

    def on(self, sheet: str) -> None:
        """Turn to a sheet, a new one or one begun."""
        self.sheet = sheet
        self.layout.draft.sheets.setdefault(sheet, {})

    def at(self, cell: str) -> Spot:
        return spot(f"{self.sheet}!{cell}")

    def put(self, cell: str, content: Content, run: str = "", *, rating: bool = False, form: str = "") -> Spot:
        where = self.at(cell)
        self.layout.draft[where] = content
        if run:
            self.layout.runs.setdefault(run, []).append(where)
        if rating:
            self.layout.ratings.append(where)
        if form:
            self.layout.draft.formats[where] = form
        return where

    def row(self, start: str, contents: Iterable[Content | None]) -> None:
        sheet, (row, column) = self.at(start)
        for i, content in enumerate(contents):
            if content is not None:
                self.layout.draft[sheet, (row, column + i)] = content

    def people(self, count: int) -> list[str]:
        """Return names: single first names, or Player 1 and so on."""
        if self.rng.random() < 0.4:
            return [f"Player {i + 1}" for i in range(count)]
        return self.rng.sample(NAMES, count)

    def pairs(self, names: list[str], count: int) -> list[tuple[int, int]]:
        """Return pairings in which everybody plays early and the same two do not meet twice in a row."""
        order = list(range(len(names)))
        found: list[tuple[int, int]] = []
        while len(found) < count:
            self.rng.shuffle(order)
            found += [(order[i], order[i + 1]) for i in range(0, len(order) - 1, 2)]
        return found[:count]

    def scores(self, count: int) -> list[float]:
        """Return scores of 1, 0.5 and 0, each at least once, and a draw away from the ends."""
        found = [self.rng.choice((1.0, 1.0, 0.0, 0.0, 0.5)) for _ in range(count)]
        for place, score in ((count // 3, 0.5), (count // 2, 1.0), (2 * count // 3, 0.0)):
            found[place] = score
        return found


DAY = 45292  # 1 January 2024


def expected(own: str, opp: str, scale: str = "400", *, form: str = "caret", den: bool = True, **also: str) -> str:
    """Return the expected score of `own` against `opp`, marked; `also` is for the opponent's reference."""
    difference = tag("diff", f"({tag('opp', opp, **also)}-{tag('own', own)})")
    x = tag("x", difference + tag("scale", "/" + tag("sc", scale)))
    if form == "power":
        pw = tag("pw", f"POWER(10,{x})")
    elif form == "exp":
        pw = tag("pw", f"EXP(LN(10)*{x})")
    elif form == "minus":
        minus = tag("diff", f"(-({tag('own', own)}-{tag('opp', opp, **also)}))")
        pw = tag("pw", f"10{tag('pow', '^')}({tag('x', minus + tag('scale', '/' + tag('sc', scale)))})")
    else:
        pw = tag("pw", f"10{tag('pow', '^')}({x})")
    return "1/" + tag("den", f"(1+{pw})")


def _quotient(rating: str, scale: str) -> str:
    """Return 10^(rating / scale), marked."""
    x = tag("qx", rating + tag("scale", "/" + tag("sc", scale)))
    return tag("qpw", f"10{tag('pow', '^')}({x})")


def update(base: str, k: str, s: str, e: str, *, sign: str = "+") -> str:
    """Return base + K·(S − E) with its marks; the arguments may be marked already."""
    return f"{_marked('base', base)}{sign}{tag('upd', _product(k, s, e))}"


def _product(k: str, s: str, e: str) -> str:
    surplus = f"({_marked('S', s)}-{_marked('E', e)})"
    return f"{_marked('K', k)}*{tag('se', surplus)}"


def change(k: str, s: str, e: str) -> str:
    """Return K·(S − E) with its marks."""
    return tag("upd", _product(k, s, e))


def _marked(name: str, text: str) -> str:
    return text if text.startswith(f"⟦{name}") else tag(name, text)


# --- calculators --------------------------------------------------------------------------------------------


def calculator(seed: int) -> Layout:
    """Two players side by side, K typed into a cell, the expectation by Q-form or written out."""
    pen = _Pen("calculator", "calculator", seed)
    rng = pen.rng
    pen.on("Sheet1")
    a, b = pen.people(2)
    k, scale = rng.choice((16, 24, 32)), 400
    pen.row("A1", ["Elo calculator"])
    pen.row("B3", [a, b])
    pen.put("A4", "Rating")
    pen.put("B4", 1400 + rng.randrange(0, 300))
    pen.put("C4", 1750 + rng.randrange(0, 200))
    pen.put("A5", "K")
    pen.put("B5", k)
    pen.put("A6", "Result")
    pen.put("B6", rng.choice((1, 0, 0.5)))
    pen.put("C6", "=1-B6", "S2")
    pen.put("A7", "Expected")
    if seed % 2:
        pen.put("A8", "Q")
        pen.put("B8", "=" + _quotient("B4", str(scale)), "Q1")
        pen.put("C8", "=" + _quotient("C4", str(scale)), "Q2")
        pen.put("B7", f"={tag('qown', 'B8', other='C8')}/(B8+C8)", "E1")
        pen.put("C7", f"={tag('qown', 'C8', other='B8')}/(B8+C8)", "E2")
        pen.layout.traits.add("q-form")
    else:
        pen.put("B7", "=" + expected("B4", "C4"), "E1")
        pen.put("C7", "=" + expected("C4", "B4"), "E2")
    pen.put("A9", "New rating")
    kk = tag("K", "$B$5", literal=str(k))
    pen.put("B9", "=" + update(tag("base", "B4", other="C4"), kk, "B6", tag("E", "B7", other="C7")), "R1", rating=True)
    second = update(tag("base", "C4", other="B4"), kk, "C6", tag("E", "C7", other="B7")).replace(
        "⟦upd‖", "⟦upd¦both=$B$5*(B6-B7)‖"
    )
    pen.put("C9", "=" + second, "R2", rating=True)
    layout = pen.layout
    layout.ledger = "Sheet1"
    layout.facts = {"scale": scale, "k": k}
    layout.games = [Entry(6, "Sheet1", (pen.at("B3"), pen.at("C3")), (pen.at("B6"),), (pen.at("B4"), pen.at("C4")))]
    return layout


def rechner(seed: int) -> Layout:
    """A calculator in German: POWER, scale in a cell, the expectation in percent, result by drop-down text."""
    pen = _Pen("rechner", "calculator", seed)
    rng = pen.rng
    pen.on("Elo-Rechner")
    k = rng.choice((20, 25, 30, 40))
    pen.put("B2", "Elo-Rechner für zwei Spieler")
    for i, (label, value) in enumerate([("K-Faktor", k), ("Skala", 400)]):
        pen.put(f"B{4 + i}", label)
        pen.put(f"C{4 + i}", value)
    pen.row("B8", ["", "Spieler 1", "Spieler 2"])
    pen.row("B9", ["Wertung alt", 1500 + rng.randrange(0, 200), 1760 + rng.randrange(0, 250)])
    pen.row("B10", ["Ergebnis", rng.choice(("Sieg", "Remis", "Niederlage"))])
    pen.put("B11", "Punkte")
    pen.put("B12", "Erwartung in %")
    pen.put("B13", "Änderung")
    pen.put("B14", "Wertung neu")
    half = tag("draw", "0.5")
    pen.put("C11", f'=IF(C10="Sieg",1,IF(C10="Remis",{half},0))', "S1")
    pen.put("D11", "=1-C11", "S2")
    pen.put("C12", "=100*" + expected("C9", "D9", "$C$5", form="power"), "E1")
    pen.put("D12", "=100*" + expected("D9", "C9", "$C$5", form="power"), "E2")
    for col, other in (("C", "D"), ("D", "C")):
        e = f"{tag('E', col + '12', other=other + '12')}/100"
        body = tag("K", "$C$4", literal=str(k)) + "*" + tag("se", f"({tag('S', col + '11')}-{tag('Epart', e)})")
        pen.put(f"{col}13", "=" + tag("upd", body), f"D{col}")
        pen.put(
            f"{col}14",
            f"={tag('base', col + '9', other=other + '9')}+{tag('D', col + '13', other=other + '13')}",
            f"R{col}",
            rating=True,
        )
    layout = pen.layout
    layout.ledger = "Elo-Rechner"
    layout.facts = {"scale": 400, "k": k}
    layout.spare = pen.at("C5")
    layout.games = [Entry(9, "Elo-Rechner", ratings=(pen.at("C9"), pen.at("D9")))]
    return layout


# --- one player's log ---------------------------------------------------------------------------------------


def single_log(seed: int) -> Layout:
    """One player's games under each other: the opponent's rating typed, the rating carried down."""
    pen = _Pen("single log", "log", seed)
    rng = pen.rng
    n = rng.randrange(16, 40)
    k = rng.choice((20, 24, 32))
    start = rng.choice((1200, 1400, 1500))
    pen.on("Config")
    pen.row("A1", ["K", k])
    pen.row("A2", ["Start", start])
    pen.on("Log")
    pen.row("A1", ["Date", "Opponent", "Opp. rating", "Score", "Before", "Expected", "Change", "After"])
    layout = pen.layout
    rivals = pen.people(7)
    for i, score in enumerate(pen.scores(n)):
        r = 2 + i
        pen.put(f"A{r}", DAY + 3 * i + rng.randrange(0, 3), form="yyyy-mm-dd")
        pen.put(f"B{r}", rivals[(i * 3 + rng.randrange(2)) % 7])
        pen.put(f"C{r}", start + rng.randrange(-250, 350))
        pen.put(f"D{r}", score)
        if i:
            pen.put(f"E{r}", f"={tag('carry', f'H{r - 1}')}", "B")
        else:
            pen.put(f"E{r}", "=Config!$B$2")
        pen.put(f"F{r}", "=" + expected(f"E{r}", f"C{r}"), "E")
        pen.put(
            f"G{r}",
            "=" + change(tag("K", "Config!$B$1", literal=str(k), drift=f"Config!B{1 + i}"), f"D{r}", f"F{r}"),
            "D",
        )
        pen.put(f"H{r}", f"={tag('base', f'E{r}', other=f'C{r}')}+{tag('D', f'G{r}')}", "R", rating=True)
        layout.games.append(
            Entry(r, "Log", (pen.at(f"B{r}"),), (pen.at(f"D{r}"),), (pen.at(f"C{r}"),), pen.at(f"A{r}"))
        )
    layout.ledger = "Log"
    layout.facts = {"scale": 400, "k": k, "start": start}
    layout.spare, layout.k_cell = spot("Config!B2"), spot("Config!B1")
    return layout


def registro(seed: int) -> Layout:
    """A log in Spanish that starts at C5, columns in another order, one formula for the new rating."""
    pen = _Pen("registro", "log", seed)
    rng = pen.rng
    n = rng.randrange(14, 34)
    k = rng.choice((20, 40))
    pen.on("Mis partidas")
    pen.put("C2", "Registro de partidas")
    pen.put("C3", "Elo inicial")
    pen.put("D3", 1450 + rng.randrange(0, 200))
    pen.row("C5", ["N.º", "Elo nuevo", "Resultado", "Rival", "Elo rival", "Elo previo", "Esperado"])
    layout = pen.layout
    for i, score in enumerate(pen.scores(n)):
        r = 6 + i
        pen.put(f"C{r}", i + 1)
        pen.put(f"E{r}", score)
        pen.put(f"F{r}", f"Rival {rng.randrange(1, 9)}")
        pen.put(f"G{r}", 1400 + rng.randrange(0, 500))
        pen.put(f"H{r}", f"={tag('carry', f'D{r - 1}')}" if i else "=$D$3", "B" if i else "")
        pen.put(f"I{r}", "=" + expected(f"H{r}", f"G{r}", form="minus"), "E")
        pen.put(
            f"D{r}",
            "=" + update(tag("base", f"H{r}", other=f"G{r}"), str(k), f"E{r}", f"I{r}"),
            "R",
            rating=True,
        )
        layout.games.append(Entry(r, "Mis partidas", (pen.at(f"F{r}"),), (pen.at(f"E{r}"),), (pen.at(f"G{r}"),)))
    layout.ledger = "Mis partidas"
    layout.facts = {"scale": 400, "k": k}
    return layout


def k_by_games(seed: int) -> Layout:
    """A log in which K is 40 until the thirtieth game and 20 afterwards, the count of earlier games typed."""
    pen = _Pen("K by games", "log", seed)
    rng = pen.rng
    n = rng.randrange(18, 36)
    before = 30 - n // 2
    pen.on("Games")
    pen.put("A1", "Games before this log")
    pen.put("C1", before)
    pen.put("A2", "Rating before")
    pen.put("C2", 1350 + rng.randrange(0, 150))
    pen.row("A4", ["No.", "Opponent", "Opp.", "W/D/L", "S", "K", "E", "Rating"])
    layout = pen.layout
    for i, score in enumerate(pen.scores(n)):
        r = 5 + i
        pen.put(f"A{r}", f"={tag('count', f'A{r - 1}+1')}" if i else "=C1+1", "N" if i else "")
        pen.put(f"B{r}", f"Club {rng.randrange(1, 30)}")
        pen.put(f"C{r}", 1300 + rng.randrange(0, 450))
        pen.put(f"D{r}", {1.0: "W", 0.5: "D", 0.0: "L"}[score])
        pen.put(f"E{r}", f'=IF(D{r}="W",1,IF(D{r}="D",{tag("draw", "0.5")},0))', "S")
        pen.put(f"F{r}", f"=IF(A{r}{tag('cmp', '<=')}30,40,20)", "K")
        own = f"H{r - 1}" if i else "$C$2"
        pen.put(f"G{r}", "=" + expected(own, f"C{r}"), "E")
        pen.put(
            f"H{r}",
            "=" + update(tag("base", own, other=f"C{r}"), tag("K", f"F{r}"), f"E{r}", f"G{r}"),
            "R",
            rating=True,
        )
        layout.games.append(Entry(r, "Games", (pen.at(f"B{r}"),), (), (pen.at(f"C{r}"),)))
    layout.ledger = "Games"
    layout.facts = {"scale": 400}
    layout.traits.add("k-rule")
    return layout


def fide_report(seed: int) -> Layout:
    """A tournament report: nine rounds, the expectation by a table look-up, K times the sum at the foot."""
    pen = _Pen("tournament report", "tournament", seed)
    rng = pen.rng
    own = 1800 + rng.randrange(0, 250)
    k = rng.choice((10, 20, 40))
    pen.on("FIDE table")
    pen.row("A1", ["from", "higher", "lower"])
    for i, (gap, p) in enumerate(_FIDE):
        pen.row(f"A{2 + i}", [gap, p, round(1 - p, 2)])
    end = 1 + len(_FIDE)
    pen.on("Open")
    pen.row("A1", ["Player", "Anna"])
    pen.row("A2", ["Rating", own])
    pen.row("A3", ["K", k])
    pen.row("A5", ["Round", "Opponent", "Rtg", "Pts", "Diff", "p", "ΔR"])
    layout = pen.layout
    for i, score in enumerate(pen.scores(9)):
        r = 6 + i
        pen.put(f"A{r}", i + 1)
        pen.put(f"B{r}", f"Rival {i + 1}")
        pen.put(f"C{r}", own + rng.randrange(-300, 300))
        pen.put(f"D{r}", score)
        pen.put(f"E{r}", f"={tag('own', '$B$2')}-{tag('opp', f'C{r}')}", "diff")
        area = f"'FIDE table'!$A$2:$C${end}"
        table = tag("rng", area, short=area.replace(str(end), str(end // 4)))
        pen.put(
            f"F{r}",
            f"=VLOOKUP(ABS(E{r}),{table},IF(E{r}{tag('cmp', '>=')}0,2,3),TRUE)",
            "E",
        )
        pen.put(f"G{r}", f"=D{r}-F{r}", "SE")
        layout.games.append(Entry(r, "Open", (pen.at(f"B{r}"),), (pen.at(f"D{r}"),), (pen.at(f"C{r}"),)))
    pen.put("A16", "Sum")
    for col in "DFG":
        pen.put(f"{col}16", f"=SUM({tag('rng', f'{col}6:{col}14', short=f'{col}6:{col}13')})", f"sum{col}")
    pen.put("A17", "Change")
    pen.put("B17", f"={tag('K', 'B3', literal=str(k))}*G16", "D")
    pen.put("A18", "New rating")
    pen.put("B18", f"={tag('base', 'B2')}+{tag('D', 'B17')}", "R", rating=True)
    layout.ledger = "Open"
    layout.facts = {"k": k}
    return layout


_FIDE = tuple(
    (gap, round(0.5 + i / 100, 2))
    for i, gap in enumerate(
        (
            *(0, 4, 11, 18, 26, 33, 40, 47, 54, 62, 69, 77, 84, 92, 99, 107, 114, 122, 130, 138, 146, 154, 163, 171),
            *(180, 189, 198, 207, 216, 226, 236, 246, 257, 268, 279, 291, 303, 316, 329, 345, 358, 375, 392, 412, 433),
            *(457, 485, 518, 560, 620, 736),
        )
    )
)


# --- pools --------------------------------------------------------------------------------------------------


def pool_lookup(seed: int) -> Layout:
    """A ledger of a pool, two players a row; the rating before is found by LOOKUP(2,1/…) over both columns.

    The latest row of a player is a helper column, as people do who once read about it.
    """
    pen = _Pen("pool look-up", "pool", seed)
    rng = pen.rng
    count, n = rng.randrange(5, 8), rng.randrange(22, 40)
    k, start = rng.choice((16, 24, 32)), rng.choice((1000, 1200, 1500))
    names = pen.people(count)
    scale = rng.choice((400, 400, 500))
    layout = pen.layout
    pen.on("Setup")
    pen.row("A1", ["K", k])
    pen.row("A2", ["Start", start])
    pen.row("A3", ["Scale", scale])
    pen.on("Matches")
    pen.row("A1", ["Date", "Player A", "Player B", "Score A", "Before A", "Before B", "Exp A", "After A", "After B"])
    pairs = pen.pairs(names, n)
    for i, score in enumerate(pen.scores(n)):
        r = 2 + i
        pen.put(f"A{r}", DAY + i + (i // 5) * 2, form="d.m.yyyy")
        pen.put(f"B{r}", names[pairs[i][0]])
        pen.put(f"C{r}", names[pairs[i][1]])
        pen.put(f"D{r}", score)
        for col, who in (("E", "B"), ("F", "C")):
            pen.put(f"{col}{r}", "=" + _last_rating(r, f"{who}{r}", 2, "Setup!$B$2", start), "B" + col)
        pen.put(f"G{r}", "=" + expected(f"E{r}", f"F{r}", "Setup!$B$3"), "E")
        kk = tag("K", "Setup!$B$1", literal=str(k), drift=f"Setup!B{1 + i}")
        pen.put(f"H{r}", "=" + update(tag("base", f"E{r}", other=f"F{r}"), kk, f"D{r}", f"G{r}"), "RA", rating=True)
        loss = f"{kk}*({tag('S', f'D{r}')}-{tag('E', f'G{r}', no='1')})"
        pen.put(f"I{r}", f"={tag('base', f'F{r}', other=f'E{r}')}-{tag('loss', loss)}", "RB", rating=True)
        layout.games.append(
            Entry(r, "Matches", (pen.at(f"B{r}"), pen.at(f"C{r}")), (pen.at(f"D{r}"),), (), pen.at(f"A{r}"))
        )
    last = 1 + n
    pen.on("Ranking")
    pen.row("A1", ["Rank", "Player", "Rating", "Games"])
    for j, name in enumerate(names):
        r = 2 + j
        pen.put(f"B{r}", name)
        pen.put(
            f"C{r}",
            "=" + _latest("Matches", last, f"B{r}", "Setup!$B$2", short=last - 2),
            "LEAD",
            rating=True,
        )
        area = f"Matches!$B$2:$C${last}"
        pen.put(f"D{r}", f"=COUNTIF({tag('rng', area, short=area.replace(str(last), str(last - 4)))},B{r})", "COUNT")
        ranks = f"$C$2:$C${1 + count}"
        pen.put(f"A{r}", f"=RANK(C{r},{tag('rng', ranks, short=f'$C$2:$C${count - 1}')}{tag('asc', '')})", "RANK")
    layout.ledger = "Matches"
    layout.facts = {"scale": scale, "k": k, "start": start}
    layout.k_cell, layout.spare = spot("Setup!B1"), spot("Setup!B2")
    layout.traits |= {"pool", "countif"}
    return layout


def _last_rating(r: int, name: str, first: int, start: str, literal: float) -> str:
    """Return the rating before row r: the larger of the two latest rows decides which side to read."""
    top, low = first - 1, r - 1

    def side(p: str, a: str) -> str:
        return f"IFERROR(LOOKUP(2,1/(${p}${top}:${p}{low}={name}),ROW(${a}${top}:${a}{low})),0)"

    one, two = side("B", "H"), side("C", "I")
    begin = tag("init", start, literal=str(literal))
    first_a = f"MATCH({name},$B${top}:$B{low},0)"
    second = f"INDEX($I${top}:$I{low},MATCH({name},$C${top}:$C{low},0))"
    wrong = f"IFERROR(INDEX($H${top}:$H{low},{first_a}),IFERROR({second},{start}))"
    sided = f"IFERROR(LOOKUP(2,1/($B${top}:$B{low}={name}),$H${top}:$H{low}),{start})"
    early = max(top, low - 6)
    short = plain(
        f"IF(COUNTIF($B${top}:$C{early},{name})=0,{start},IF({side('B', 'H')}>{side('C', 'I')},"
        f"INDEX($H:$H,{side('B', 'H')}),INDEX($I:$I,{side('C', 'I')})))".replace(f"{low}", f"{early}")
    )
    return tag(
        "prev",
        f"IF(COUNTIF($B${top}:$C{low},{name})=0,{begin},IF({one}>{two},INDEX($H$1:$H{low},{one}),INDEX($I$1:$I{low},{two})))",
        first=wrong,
        sided=sided,
        short=short,
    )


def _latest(sheet: str, last: int, name: str, start: str, short: int) -> str:
    """Return a player's rating after the last game of the ledger."""

    def whole(end: int) -> str:
        def side(p: str) -> str:
            return f"IFERROR(LOOKUP(2,1/({sheet}!${p}$2:${p}${end}={name}),ROW({sheet}!${p}$2:${p}${end})),1)"

        a, b = side("B"), side("C")
        return (
            f"IF(COUNTIF({sheet}!$B$2:$C${end},{name})=0,{start},"
            f"IF({a}>{b},INDEX({sheet}!$H$1:$H${end},{a}),INDEX({sheet}!$I$1:$I${end},{b})))"
        )

    return tag("last", whole(last), short=whole(short))


def pool_index(seed: int) -> Layout:
    """A pool in which the rating before is INDEX at the largest earlier row; names, K and start literal."""
    pen = _Pen("pool max row", "pool", seed)
    rng = pen.rng
    count, n = rng.randrange(4, 7), rng.randrange(18, 36)
    k, start = rng.choice((20, 30)), 1500
    names = pen.people(count)
    layout = pen.layout
    pen.on("Elo")
    pen.row("A1", ["#", "White", "Black", "Result", "Rw", "Rb", "Ew", "Eb", "dW", "dB", "Rw new", "Rb new"])
    pairs = pen.pairs(names, n)
    for i, score in enumerate(pen.scores(n)):
        r, low = 2 + i, 1 + i
        pen.put(f"A{r}", i + 1)
        pen.put(f"B{r}", names[pairs[i][0]])
        pen.put(f"C{r}", names[pairs[i][1]])
        pen.put(f"D{r}", score)
        for col, who in (("E", "B"), ("F", "C")):
            row = f"SUMPRODUCT(MAX(($B$1:$C{low}={who}{r})*ROW($B$1:$C{low})))"
            early = max(1, low - 6)
            short_row = row.replace(f"C{low}", f"C{early}")

            def pick(at: str, end: int, who: str = who, r: int = r) -> str:
                return f"IF(INDEX($B$1:$B{end},{at})={who}{r},INDEX($K$1:$K{end},{at}),INDEX($L$1:$L{end},{at}))"

            first, second = (f"MATCH({who}{r},${c}$1:${c}{low},0)" for c in "BC")
            text = tag(
                "prev",
                f"IF(COUNTIF($B$1:$C{low},{who}{r})=0,{tag('init', str(start), literal='')},{pick(row, low)})",
                first=f"IFERROR(INDEX($K$1:$K{low},{first}),IFERROR(INDEX($L$1:$L{low},{second}),{start}))",
                sided=f"IF(COUNTIF($B$1:$B{low},{who}{r})=0,{start},INDEX($K$1:$K{low},SUMPRODUCT(MAX(($B$1:$B{low}={who}{r})*ROW($B$1:$B{low})))))",
                short=f"IF(COUNTIF($B$1:$C{early},{who}{r})=0,{start},{pick(short_row, early)})",
            )
            pen.put(f"{col}{r}", "=" + text, "B" + col)
        pen.put(f"G{r}", "=" + expected(f"E{r}", f"F{r}"), "EW")
        pen.put(f"H{r}", "=" + expected(f"F{r}", f"E{r}", leak=f"K{r}"), "EB")
        pen.put(f"I{r}", "=" + change(tag("K", str(k)), f"D{r}", tag("E", f"G{r}", other=f"H{r}")), "DW")
        second = change(tag("K", str(k)), f"(1-D{r})", tag("E", f"H{r}", other=f"G{r}")).replace(
            "⟦upd‖", f"⟦upd¦both={k}*(D{r}-G{r})‖"
        )
        pen.put(f"J{r}", "=" + second, "DB")
        pen.put(
            f"K{r}", f"={tag('base', f'E{r}', other=f'F{r}')}+{tag('D', f'I{r}', other=f'J{r}')}", "RW", rating=True
        )
        pen.put(
            f"L{r}", f"={tag('base', f'F{r}', other=f'E{r}')}+{tag('D', f'J{r}', other=f'I{r}')}", "RB", rating=True
        )
        layout.games.append(Entry(r, "Elo", (pen.at(f"B{r}"), pen.at(f"C{r}")), (pen.at(f"D{r}"),)))
    layout.ledger = "Elo"
    layout.facts = {"scale": 400, "k": k, "start": start}
    layout.traits |= {"pool", "countif"}
    return layout


def carry_matrix(seed: int) -> Layout:
    """A player × game matrix: one column a player, each row a game; who does not play carries his rating."""
    pen = _Pen("player-game matrix", "player-game matrix", seed)
    rng = pen.rng
    count, n = rng.randrange(4, 7), rng.randrange(16, 32)
    k = rng.choice((20, 32))
    names = pen.people(count)
    layout = pen.layout
    pen.on("Season")
    pen.row("A1", ["K", k])
    pen.row("A3", ["Game", "Winner", "Loser", "R winner", "R loser", "Expected", "Points"])
    first, last = 9, 8 + count
    head = f"${column_letters(first)}$3:${column_letters(last)}$3"
    for j, name in enumerate(names):
        letter = column_letters(first + j)
        pen.put(f"{letter}3", name)
        pen.put(f"{letter}4", 1000 + 20 * rng.randrange(0, 10))
    pen.put("A4", "Start")
    pairs = pen.pairs(names, n)
    for i in range(n):
        r = 5 + i
        pen.put(f"A{r}", i + 1)
        pen.put(f"B{r}", names[pairs[i][0]])
        pen.put(f"C{r}", names[pairs[i][1]])
        line = f"${column_letters(first)}{r - 1}:${column_letters(last)}{r - 1}"
        for col, who in (("D", "B"), ("E", "C")):
            fixed = line.replace(str(r - 1), "$4")
            who_cell = tag("name", f"{who}{r}", other=f"C{r}" if who == "B" else f"B{r}")
            pen.put(f"{col}{r}", f"=INDEX({tag('line', line, fixed=fixed)},MATCH({who_cell},{head},0))", "B" + col)
        pen.put(f"F{r}", "=" + expected(f"D{r}", f"E{r}"), "E")
        surplus = tag("se", f"({tag('S', '1')}-{tag('E', f'F{r}', no='1')})")
        kk = tag("K", "$B$1", literal=str(k), drift=f"$B{1 + i}")
        pen.put(f"G{r}", "=" + tag("upd", f"{kk}*{surplus}"), "D")
        for j in range(count):
            letter = column_letters(first + j)
            win = tag("win", f"IF($B{r}={letter}$3,$G{r},0)")
            lose = tag("lose", f"IF($C{r}={letter}$3,$G{r},0)")
            pen.put(f"{letter}{r}", f"={tag('base', f'{letter}{r - 1}')}+{win}-{lose}", f"P{letter}", rating=True)
        layout.games.append(Entry(r, "Season", (pen.at(f"B{r}"), pen.at(f"C{r}"))))
    layout.ledger = "Season"
    layout.facts = {"scale": 400, "k": k}
    layout.k_cell = pen.at("B1")
    layout.traits |= {"matrix", "no-score"}
    return layout


def two_rows(seed: int) -> Layout:
    """A ledger with two rows a game, one for each side, and a list of players with what they have now."""
    pen = _Pen("two rows a game", "pool", seed)
    rng = pen.rng
    count, n = rng.randrange(4, 7), rng.randrange(10, 18)
    k, start = rng.choice((24, 32)), rng.choice((1000, 1500))
    names = pen.people(count)
    layout = pen.layout
    pen.on("Ledger")
    pen.row("A1", ["Match", "Player", "Opponent", "Result", "Old", "Opp old", "We", "New"])
    pen.row("K1", ["K", k])
    pen.row("K2", ["Start", start])
    pairs = pen.pairs(names, n)
    for i, score in enumerate(pen.scores(n)):
        for side in (0, 1):
            r = 2 + 2 * i + side
            mate = r + 1 if side == 0 else r - 1
            a, b = pairs[i] if side == 0 else pairs[i][::-1]
            pen.put(f"A{r}", i + 1)
            pen.put(f"B{r}", names[a])
            pen.put(f"C{r}", names[b])
            pen.put(f"D{r}", score if side == 0 else 1 - score)
            low = 1 + 2 * i  # the last row of the game before
            begin = tag("init", "$L$2", literal=str(start))
            early = max(1, low - 8)
            pen.put(
                f"E{r}",
                "="
                + tag(
                    "prev",
                    f"IFERROR(LOOKUP(2,1/($B$1:$B${low}=B{r}),$H$1:$H${low}),{begin})",
                    first=f"IFERROR(INDEX($H$1:$H${low},MATCH(B{r},$B$1:$B${low},0)),$L$2)",
                    short=f"IFERROR(LOOKUP(2,1/($B$1:$B${early}=B{r}),$H$1:$H${early}),$L$2)",
                ),
                "B",
            )
            pen.put(f"F{r}", f"={tag('mate', f'E{mate}', new=f'H{mate}')}", f"O{side}")
            pen.put(f"G{r}", "=" + expected(f"E{r}", f"F{r}", form="power"), "E")
            kk = tag("K", "$L$1", literal=str(k), drift=f"L{r - 1}")
            e = tag("E", f"G{r}", other=f"G{mate}")
            pen.put(f"H{r}", "=" + update(tag("base", f"E{r}", other=f"F{r}"), kk, f"D{r}", e), "R", rating=True)
        top = 2 + 2 * i
        layout.games.append(
            Entry(top, "Ledger", (pen.at(f"B{top}"), pen.at(f"C{top}")), (pen.at(f"D{top}"), pen.at(f"D{top + 1}")))
        )
    last = 1 + 2 * n
    pen.on("Now")
    pen.row("A1", ["Player", "Rating", "Played", "Points"])
    for j, name in enumerate(names):
        r = 2 + j
        pen.put(f"A{r}", name)
        area = "Ledger!$B$2:$B${0}"

        def latest(end: int, r: int = r) -> str:
            return f"IFERROR(LOOKUP(2,1/(Ledger!$B$2:$B${end}=A{r}),Ledger!$H$2:$H${end}),Ledger!$L$2)"

        pen.put(f"B{r}", "=" + tag("last", latest(last), short=latest(last - 3)), "LEAD", rating=True)
        full, part = area.format(last), area.format(last - 4)
        pen.put(f"C{r}", f"=COUNTIF({tag('rng', full, short=part)},A{r})", "COUNT")
        pen.put(f"D{r}", f"=SUMIF({full},A{r},{full.replace('$B$', '$D$')})", "POINTS")
    layout.ledger = "Ledger"
    layout.facts = {"scale": 400, "k": k, "start": start}
    layout.k_cell, layout.spare = spot("Ledger!L1"), spot("Ledger!L2")
    layout.traits |= {"pool", "countif"}
    return layout


def three_sheets(seed: int) -> Layout:
    """A list of results, a ledger that reads it row by row, and a ranking sorted by rating."""
    pen = _Pen("list, ledger, ranking", "pool", seed)
    rng = pen.rng
    count, n = rng.randrange(5, 8), rng.randrange(20, 36)
    k, start = rng.choice((20, 32)), rng.choice((1000, 1400))
    names = pen.people(count)
    layout = pen.layout
    pen.on("Results")
    pen.row("A1", ["Day", "Home", "Away", "Pts home"])
    pairs, scores = pen.pairs(names, n), pen.scores(n)
    for i in range(n):
        r = 2 + i
        pen.put(f"A{r}", DAY + 7 * i, form="dd/mm/yyyy")
        pen.put(f"B{r}", names[pairs[i][0]])
        pen.put(f"C{r}", names[pairs[i][1]])
        pen.put(f"D{r}", scores[i])
        layout.games.append(
            Entry(r, "Results", (pen.at(f"B{r}"), pen.at(f"C{r}")), (pen.at(f"D{r}"),), (), pen.at(f"A{r}"))
        )
    pen.on("Settings")
    pen.row("B2", ["K factor", k])
    pen.row("B3", ["Opening rating", start])
    pen.on("Ledger")
    pen.row("A1", ["Home", "Away", "S", "Ra", "Rb", "Ea", "Change", "Ra'", "Rb'"])
    for i in range(n):
        r, low = 4 + i, 3 + i
        for col, source in (("A", "B"), ("B", "C"), ("C", "D")):
            pen.put(f"{col}{r}", f"={tag('list', f'Results!{source}{r - 2}')}", "LIST" + col)
        for col, who in (("D", "A"), ("E", "B")):
            row = f"SUMPRODUCT(MAX(($A$3:$B{low}={who}{r})*ROW($A$3:$B{low})))"
            value = f"IF(INDEX($A$1:$A{low},{row})={who}{r},INDEX($H$1:$H{low},{row}),INDEX($I$1:$I{low},{row}))"
            begin = tag("init", "Settings!$C$3", literal=str(start))
            pen.put(
                f"{col}{r}",
                f"=IF(COUNTIF($A$3:$B{low},{who}{r})=0,{begin},{tag('prev', value)})",
                "B" + col,
            )
        pen.put(f"F{r}", "=" + expected(f"D{r}", f"E{r}"), "E")
        pen.put(
            f"G{r}",
            "=" + change(tag("K", "Settings!$C$2", literal=str(k), drift=f"Settings!C{2 + i}"), f"C{r}", f"F{r}"),
            "D",
        )
        pen.put(f"H{r}", f"={tag('base', f'D{r}', other=f'E{r}')}+{tag('D', f'G{r}')}", "RA", rating=True)
        pen.put(
            f"I{r}", f"={tag('base', f'E{r}', other=f'D{r}')}{tag('minus', '-')}{tag('D', f'G{r}')}", "RB", rating=True
        )
    last = 3 + n
    pen.on("Ranking")
    pen.row("A1", ["Player", "Rating", None, "Place", "Name", "Elo"])
    for j, name in enumerate(names):
        r = 2 + j
        pen.put(f"A{r}", name)

        def latest(end: int, r: int = r) -> str:
            row = f"SUMPRODUCT(MAX((Ledger!$A$4:$B${end}=A{r})*ROW(Ledger!$A$4:$B${end})))"
            name, one, two = (f"INDEX(Ledger!${c}$1:${c}${end},{row})" for c in "AHI")
            return f"IF({name}=A{r},{one},{two})"

        pen.put(f"B{r}", "=" + tag("last", latest(last), short=latest(last - 2)), "LEAD", rating=True)
        area = f"$B$2:$B${1 + count}"
        names_area = f"$A$2:$A${1 + count}"
        pen.put(f"D{r}", j + 1)
        kth = f"{tag('sort', 'LARGE')}({tag('rng', area, short=f'$B$2:$B${count - 1}')},D{r})"
        pen.put(f"F{r}", f"={kth}", "SORTED")
        pen.put(f"E{r}", f"=INDEX({names_area},MATCH(F{r},{area},0))", "SORTNAME")
    layout.ledger, layout.shift = "Ledger", 2
    layout.facts = {"scale": 400, "k": k, "start": start}
    layout.k_cell, layout.spare = spot("Settings!C2"), spot("Settings!C3")
    layout.traits |= {"pool", "list", "countif"}
    return layout


def foosball(seed: int) -> Layout:
    """Table football in pairs: team averages, a score by goals, everybody in the team gains the same."""
    pen = _Pen("foosball pairs", "pool", seed)
    rng = pen.rng
    count, n = 6, rng.randrange(14, 26)
    k = rng.choice((16, 24, 40))
    names = pen.people(count)
    layout = pen.layout
    pen.on("Kicker")
    pen.row(
        "A1",
        ["Red 1", "Red 2", "Blue 1", "Blue 2", "Goals red", "Goals blue", "Avg red", "Avg blue", "We", "S", "Delta"],
    )
    pen.row("T1", ["K", k])
    first = 13
    head = f"${column_letters(first)}$1:${column_letters(first + count - 1)}$1"
    for j, name in enumerate(names):
        pen.put(f"{column_letters(first + j)}1", name)
        pen.put(f"{column_letters(first + j)}2", 1200)
    for i in range(n):
        r = 3 + i
        team = rng.sample(range(count), 4)
        for col, who in zip("ABCD", team, strict=True):
            pen.put(f"{col}{r}", names[who])
        red, blue = rng.choice(((6, 0), (6, 2), (6, 4), (3, 6), (5, 6), (1, 6), (5, 5)))
        pen.put(f"E{r}", red)
        pen.put(f"F{r}", blue)
        line = f"${column_letters(first)}{r - 1}:${column_letters(first + count - 1)}{r - 1}"
        fixed = line.replace(str(r - 1), "$2")

        def now(col: str, r: int = r, line: str = line, fixed: str = fixed) -> str:
            return f"INDEX({tag('line', line, fixed=fixed)},MATCH({col}{r},{head},0))"

        pen.put(f"G{r}", f"=({now('A')}+{tag('partner', now('B'), other=plain(now('A')))})/2", "BA")
        pen.put(f"H{r}", f"=({now('C')}+{tag('partner', now('D'), other=plain(now('C')))})/2", "BB")
        pen.put(f"I{r}", "=" + expected(f"G{r}", f"H{r}"), "E")
        pen.put(f"J{r}", f"={tag('draw', '0.5')}+(E{r}-F{r})/12", "S")
        pen.put(f"K{r}", "=" + change(tag("K", "$U$1", literal=str(k), drift=f"U{1 + i}"), f"J{r}", f"I{r}"), "D")
        for j in range(count):
            letter = column_letters(first + j)
            win = tag("win", f"COUNTIF($A{r}:$B{r},{letter}$1)")
            lose = tag("lose", f"COUNTIF($C{r}:$D{r},{letter}$1)")
            pen.put(
                f"{letter}{r}", f"={tag('base', f'{letter}{r - 1}')}+$K{r}*({win}-{lose})", f"P{letter}", rating=True
            )
        layout.games.append(Entry(r, "Kicker", tuple(pen.at(f"{c}{r}") for c in "ABCD"), (pen.at(f"E{r}"),)))
    layout.ledger = "Kicker"
    layout.facts = {"scale": 400, "k": k}
    layout.k_cell = pen.at("U1")
    layout.traits |= {"matrix", "goals", "countif"}
    return layout


def structured(seed: int) -> Layout:
    """A table with structured references: K by LET, the rating before by XLOOKUP from below over a long list.

    Each game stands once per side in the list, so that one look-up does.
    """
    pen = _Pen("table with XLOOKUP", "pool", seed)
    rng = pen.rng
    count, n = rng.randrange(4, 7), rng.randrange(16, 28)
    k, start = rng.choice((20, 32)), 1500
    names = pen.people(count)
    layout = pen.layout
    pen.on("Players")
    pen.row("A1", ["Name", "Opening"])
    for j, name in enumerate(names):
        pen.row(f"A{2 + j}", [name, start + 25 * rng.randrange(-6, 7)])
    pen.on("Games")
    headers = ["Date", "A", "B", "SA", "RA", "RB", "EA", "Delta", "NewA", "NewB"]
    pen.row("A1", headers)
    this = "Games[[#This Row],[{}]]".format
    pairs = pen.pairs(names, n)
    people = f"Players!$A$2:$A${1 + count},Players!$B$2:$B${1 + count}"
    for i, score in enumerate(pen.scores(n)):
        r, low = 2 + i, 1 + i
        pen.put(f"A{r}", DAY + 2 * i, form="yyyy-mm-dd")
        pen.put(f"B{r}", names[pairs[i][0]])
        pen.put(f"C{r}", names[pairs[i][1]])
        pen.put(f"D{r}", score)
        for col, who in (("E", "A"), ("F", "B")):
            name = this(who)
            opening = f"_xlfn.XLOOKUP({name},{people})"

            def find(order: str, end: int, name: str = name, opening: str = opening) -> str:
                a = f"IFERROR(_xlfn.XMATCH({name},$B$1:$B{end},0,{order}),0)"
                b = f"IFERROR(_xlfn.XMATCH({name},$C$1:$C{end},0,{order}),0)"
                return (
                    f"_xlfn.LET(_xlpm.a,{a},_xlpm.b,{b},IF(_xlpm.a+_xlpm.b=0,{opening},"
                    f"IF(_xlpm.a>_xlpm.b,INDEX($I$1:$I{end},_xlpm.a),INDEX($J$1:$J{end},_xlpm.b))))"
                )

            sided = f"_xlfn.XLOOKUP({name},$B$1:$B{low},$I$1:$I{low},{opening},0,-1)"
            pen.put(
                f"{col}{r}",
                "="
                + tag(
                    "prev",
                    find("-1", low),
                    first=find("1", low),
                    short=find("-1", max(1, low - 5)),
                    sided=sided,
                    opening=opening,
                ),
                "B" + col,
            )
        pen.put(f"G{r}", "=" + expected(this("RA"), this("RB")), "E")
        pen.put(f"H{r}", "=" + change(tag("K", str(k)), this("SA"), this("EA")), "D")
        pen.put(f"I{r}", f"={tag('base', this('RA'), other=this('RB'))}+{tag('D', this('Delta'))}", "RA", rating=True)
        pen.put(
            f"J{r}",
            f"={tag('base', this('RB'), other=this('RA'))}{tag('minus', '-')}{tag('D', this('Delta'))}",
            "RB",
            rating=True,
        )
        layout.games.append(
            Entry(r, "Games", (pen.at(f"B{r}"), pen.at(f"C{r}")), (pen.at(f"D{r}"),), (), pen.at(f"A{r}"))
        )
    layout.draft.tables.append(Table("Games", "Games", 1, 1, 1 + n, len(headers), headers))
    layout.ledger = "Games"
    layout.facts = {"scale": 400, "k": k}
    layout.traits |= {"pool"}
    return layout


def q_helpers(seed: int) -> Layout:
    """A pool of two who play each other again and again; Q-form in helper columns, ratings carried down."""
    pen = _Pen("Q-form rivals", "pool", seed)
    rng = pen.rng
    n = rng.randrange(14, 30)
    k = rng.choice((16, 32))
    layout = pen.layout
    pen.on("Duel")
    pen.row("A1", ["K", k, "Divisor", 400])
    pen.row("A3", ["Game", "Ann scores", "Ann", "Ben", "Q Ann", "Q Ben", "E Ann", "E Ben"])
    pen.row("A4", [0, None, 1500 + 10 * rng.randrange(0, 10), 1650 + 10 * rng.randrange(0, 12)])
    for i, score in enumerate(pen.scores(n)):
        r = 5 + i
        pen.put(f"A{r}", i + 1)
        pen.put(f"B{r}", score)
        for q, own, run in (("E", "C", "QA"), ("F", "D", "QB")):
            pen.put(f"{q}{r}", "=" + _quotient(f"{own}{r - 1}", "$D$1"), run)
        pen.put(f"G{r}", f"={tag('qown', f'E{r}', other=f'F{r}')}/(E{r}+F{r})", "EA")
        pen.put(f"H{r}", f"={tag('qown', f'F{r}', other=f'E{r}')}/(E{r}+F{r})", "EB")
        kk = tag("K", "$B$1", literal=str(k), drift=f"B{1 + i}")
        pen.put(
            f"C{r}",
            "=" + update(tag("base", f"C{r - 1}", other=f"D{r - 1}"), kk, f"B{r}", tag("E", f"G{r}", other=f"H{r}")),
            "RA",
            rating=True,
        )
        second = update(tag("base", f"D{r - 1}", other=f"C{r - 1}"), kk, f"(1-B{r})", tag("E", f"H{r}", other=f"G{r}"))
        second = second.replace("⟦upd‖", f"⟦upd¦both=$B$1*(B{r}-G{r})‖")
        pen.put(f"D{r}", "=" + second, "RB", rating=True)
        layout.games.append(Entry(r, "Duel", (), (pen.at(f"B{r}"),)))
    layout.ledger = "Duel"
    layout.facts = {"scale": 400, "k": k}
    layout.k_cell, layout.spare = pen.at("B1"), pen.at("D1")
    layout.traits |= {"q-form"}
    return layout


def own_k(seed: int) -> Layout:
    """A club's list in German: games on one sheet, reckoned on another, every player with a K of his own."""
    pen = _Pen("K per player", "pool", seed)
    rng = pen.rng
    count, n = rng.randrange(5, 8), rng.randrange(18, 32)
    names = pen.people(count)
    layout = pen.layout
    pen.on("Spieler")
    pen.row("A1", ["Name", "Startzahl", "K", "aktuell"])
    for j, name in enumerate(names):
        pen.row(f"A{2 + j}", [name, 1300 + 20 * rng.randrange(0, 20), (40, 20, 10, 25)[j % 4]])
    pen.on("Partien")
    pen.row("A1", ["Datum", "Weiß", "Schwarz", "Erg."])
    pairs, scores = pen.pairs(names, n), pen.scores(n)
    for i in range(n):
        r = 2 + i
        pen.put(f"A{r}", DAY + 3 * i, form="dd.mm.yyyy")
        pen.put(f"B{r}", names[pairs[i][0]])
        pen.put(f"C{r}", names[pairs[i][1]])
        pen.put(f"D{r}", scores[i])
        layout.games.append(
            Entry(r, "Partien", (pen.at(f"B{r}"), pen.at(f"C{r}")), (pen.at(f"D{r}"),), (), pen.at(f"A{r}"))
        )
    pen.on("Rechnung")
    pen.row("B2", ["Weiß", "Schwarz", "Erg", "K w", "K s", "Alt w", "Alt s", "We w", "We s", "Neu w", "Neu s"])
    area = f"Spieler!$A$2:$C${1 + count}"
    for i in range(n):
        r, low = 3 + i, 2 + i
        for col, source in (("B", "B"), ("C", "C"), ("D", "D")):
            pen.put(f"{col}{r}", f"={tag('list', f'Partien!{source}{r - 1}')}", "LIST" + col)
        for col, who, new in (("E", "B", "G"), ("F", "C", "H")):
            pen.put(f"{col}{r}", f"=VLOOKUP({who}{r},{area},3,FALSE)", "K" + col)
            row = f"SUMPRODUCT(MAX(($B$2:$C{low}={who}{r})*ROW($B$2:$C{low})))"
            value = f"IF(INDEX($B$1:$B{low},{row})={who}{r},INDEX($K$1:$K{low},{row}),INDEX($L$1:$L{low},{row}))"
            opening = f"VLOOKUP({who}{r},{area},2,FALSE)"
            text = tag("prev", f"IF(COUNTIF($B$2:$C{low},{who}{r})=0,{opening},{value})", opening=opening)
            pen.put(f"{new}{r}", "=" + text, "B" + new)
        pen.put(f"I{r}", "=" + expected(f"G{r}", f"H{r}"), "E1")
        pen.put(f"J{r}", f"={tag('comp', f'1-I{r}', other=f'I{r}')}", "E2")
        for col, old, other, k, mate, s, e, oe in (
            ("K", "G", "H", "E", "F", f"D{r}", "I", "J"),
            ("L", "H", "G", "F", "E", f"(1-D{r})", "J", "I"),
        ):
            base = tag("base", f"{old}{r}", other=f"{other}{r}")
            kk = tag("K", f"{k}{r}", other=f"{mate}{r}")
            pen.put(
                f"{col}{r}", "=" + update(base, kk, s, tag("E", f"{e}{r}", other=f"{oe}{r}")), "R" + col, rating=True
            )
    last = 2 + n
    pen.on("Spieler")
    for j in range(count):
        r = 2 + j

        def latest(end: int, r: int = r) -> str:
            row = f"SUMPRODUCT(MAX((Rechnung!$B$3:$C${end}=A{r})*ROW(Rechnung!$B$3:$C${end})))"
            picks = [f"INDEX(Rechnung!${c}$1:${c}${end},{row})" for c in "BKL"]
            return f"IF(COUNTIF(Rechnung!$B$3:$C${end},A{r})=0,B{r},IF({picks[0]}=A{r},{picks[1]},{picks[2]}))"

        pen.put(f"D{r}", "=" + tag("last", latest(last), short=latest(last - 2)), "LEAD", rating=True)
    layout.ledger, layout.shift = "Rechnung", 1
    layout.facts = {"scale": 400}
    layout.traits |= {"pool", "list", "countif"}
    return layout


def listed_matrix(seed: int) -> Layout:
    """A list of results in French and a matrix that reads it: one column a player, the change by Q-form in one cell."""
    pen = _Pen("matrix from a list", "player-game matrix", seed)
    rng = pen.rng
    count, n = rng.randrange(4, 7), rng.randrange(16, 30)
    k = rng.choice((18, 24, 36))
    names = pen.people(count)
    layout = pen.layout
    pen.on("Parties")
    pen.row("A1", ["Date", "Joueur 1", "Joueur 2", "Résultat"])
    pairs, scores = pen.pairs(names, n), pen.scores(n)
    for i in range(n):
        r = 2 + i
        pen.put(f"A{r}", DAY + 2 * i, form="dd/mm/yyyy")
        pen.put(f"B{r}", names[pairs[i][0]])
        pen.put(f"C{r}", names[pairs[i][1]])
        pen.put(f"D{r}", scores[i])
        layout.games.append(
            Entry(r, "Parties", (pen.at(f"B{r}"), pen.at(f"C{r}")), (pen.at(f"D{r}"),), (), pen.at(f"A{r}"))
        )
    pen.on("Classement")
    pen.row("A1", ["Coefficient", k])
    pen.row("A3", ["J1", "J2", "Rés.", "Elo 1", "Elo 2", "Attendu", "Points"])
    first, last = 9, 8 + count
    head = f"${column_letters(first)}$3:${column_letters(last)}$3"
    for j, name in enumerate(names):
        pen.put(f"{column_letters(first + j)}3", name)
        pen.put(f"{column_letters(first + j)}4", 1200 + 15 * rng.randrange(0, 14))
    for i in range(n):
        r = 5 + i
        for col, source in (("A", "B"), ("B", "C"), ("C", "D")):
            pen.put(f"{col}{r}", f"={tag('list', f'Parties!{source}{r - 3}')}", "LIST" + col)
        line = f"${column_letters(first)}{r - 1}:${column_letters(last)}{r - 1}"
        for col, who in (("D", "A"), ("E", "B")):
            area = tag("line", line, fixed=line.replace(str(r - 1), "$4"))
            pen.put(f"{col}{r}", f"=INDEX({area},MATCH({who}{r},{head},0))", "B" + col)
        pen.put(f"F{r}", "=" + expected(f"D{r}", f"E{r}", form="power"), "E")
        kk = tag("K", "$B$1", literal=str(k), drift=f"$B{1 + i}")
        pen.put(f"G{r}", "=" + change(kk, f"C{r}", f"F{r}"), "D")
        for j in range(count):
            letter = column_letters(first + j)
            win = tag("win", f"($A{r}={letter}$3)")
            lose = tag("lose", f"($B{r}={letter}$3)")
            text = f"={tag('base', f'{letter}{r - 1}')}+$G{r}*({win}-{lose})"
            pen.put(f"{letter}{r}", text, f"P{letter}", rating=True)
    layout.ledger, layout.shift = "Classement", 3
    layout.facts = {"scale": 400, "k": k}
    layout.k_cell = pen.at("B1")
    layout.traits |= {"matrix", "list"}
    return layout


def winner_loser(seed: int) -> Layout:
    """A winner × loser matrix of counts with the ratings beside it, closed by one step from the opening ratings."""
    pen = _Pen("winner-loser matrix", "winner-loser matrix", seed)
    rng = pen.rng
    count = rng.randrange(4, 7)
    k = rng.choice((10, 16))
    names = pen.people(count)
    layout = pen.layout
    pen.on("Matrix")
    pen.row("A1", ["K", k])
    pen.row("A3", ["won by \\ lost by", *names])
    top, low = 4, 3 + count
    last = column_letters(1 + count)
    for i, name in enumerate(names):
        r = top + i
        pen.put(f"A{r}", name)
        for j in range(count):
            if i != j:
                pen.put(f"{column_letters(2 + j)}{r}", rng.randrange(0, 6))
    base = low + 3
    pen.row(f"A{base - 1}", ["Player", "Opening", "Won", "Lost", "Games", "Expected", "Change", "Closing"])
    for i, name in enumerate(names):
        r, letter = base + i, column_letters(2 + i)
        pen.put(f"A{r}", name)
        pen.put(f"B{r}", 1400 + 10 * rng.randrange(0, 40))
        pen.put(
            f"C{r}",
            f"=SUM({tag('rng', f'B{top + i}:{last}{top + i}', short=f'B{top + i}:{column_letters(count)}{top + i}')})",
            "WON",
        )
        pen.put(
            f"D{r}",
            f"=SUM({tag('rng', f'{letter}{top}:{letter}{low}', short=f'{letter}{top}:{letter}{low - 1}')})",
            "LOST",
        )
        pen.put(f"E{r}", f"=C{r}+D{r}", "GAMES")
        terms: list[str] = []
        for j in range(count):
            if j != i:
                other = f"$B${base + j}"
                met = f"({column_letters(2 + j)}{top + i}+{letter}{top + j})"
                terms.append(
                    f"{met}*{expected(f'$B${r}', other) if len(terms) == 0 else plain(expected(f'$B${r}', other))}"
                )
        pen.put(f"F{r}", "=" + "+".join(terms), "E")
        pen.put(f"G{r}", "=" + change(tag("K", "$B$1", literal=str(k), drift=f"B{1 + i}"), f"C{r}", f"F{r}"), "D")
        pen.put(f"H{r}", f"={tag('base', f'B{r}')}+{tag('D', f'G{r}')}", "R", rating=True)
    layout.ledger = "Matrix"
    layout.facts = {"scale": 400, "k": k}
    layout.traits |= {"no-order"}
    return layout


def all_pairs(seed: int) -> Layout:
    """A matrix of expected scores: everybody against everybody, ratings typed."""
    pen = _Pen("all-pairs matrix", "all-pairs", seed)
    rng = pen.rng
    count = rng.randrange(5, 9)
    scale = rng.choice((400, 400, 200))
    names = pen.people(count)
    layout = pen.layout
    pen.on("Chances")
    pen.row("A1", ["Win probability (row against column)"])
    pen.put("A2", "Rating")
    for i, name in enumerate(names):
        rating = 1300 + 13 * rng.randrange(0, 50)
        pen.put(f"A{4 + i}", name)
        pen.put(f"B{4 + i}", rating)
        pen.put(f"{column_letters(3 + i)}2", f"=$B${4 + i}")
        pen.put(f"{column_letters(3 + i)}3", name)
    for i in range(count):
        for j in range(count):
            if i != j:
                letter = column_letters(3 + j)
                pen.put(
                    f"{letter}{4 + i}", "=" + expected(f"$B{4 + i}", f"{letter}$2", str(scale)), f"E{i}", rating=True
                )
    layout.ledger = "Chances"
    layout.facts = {"scale": scale}
    layout.traits |= {"no-order", "odds"}
    return layout


def all_pairs_list(seed: int) -> Layout:
    """A list of match-ups: the ratings looked up from a sheet, the chances of both in percent format."""
    pen = _Pen("all-pairs list", "all-pairs", seed)
    rng = pen.rng
    count = rng.randrange(5, 8)
    names = pen.people(count)
    layout = pen.layout
    pen.on("Teams")
    pen.row("A1", ["Team", "Elo"])
    for i, name in enumerate(names):
        pen.row(f"A{2 + i}", [name, 1350 + 17 * rng.randrange(0, 40)])
    area = f"Teams!$A$2:$B${1 + count}"
    pen.on("Match-ups")
    pen.row("B2", ["Team 1", "Team 2", "Elo 1", "Elo 2", "P1", "P2"])
    r = 3
    for i in range(count):
        for j in range(i + 1, count):
            pen.put(f"B{r}", names[i])
            pen.put(f"C{r}", names[j])
            for col, who in (("D", "B"), ("E", "C")):
                short = area.replace(str(1 + count), str(count - 1))
                pen.put(
                    f"{col}{r}", f"=VLOOKUP({who}{r},{tag('rng', area, short=short)},2,FALSE)", "B" + col, rating=True
                )
            pen.put(f"F{r}", "=" + expected(f"D{r}", f"E{r}", form="exp"), "E1", rating=True, form="0.0%")
            pen.put(f"G{r}", f"={tag('comp', f'1-F{r}', other=f'F{r}')}", "E2", rating=True, form="0.0%")
            r += 1
    layout.ledger = "Match-ups"
    layout.facts = {"scale": 400}
    layout.traits |= {"no-order", "odds"}
    return layout


def monthly(seed: int) -> Layout:
    """Rating periods: the games of a month against the opening list; the list closes by sums."""
    pen = _Pen("monthly periods", "periods", seed)
    rng = pen.rng
    count, n = rng.randrange(5, 8), rng.randrange(16, 30)
    k = rng.choice((20, 30))
    names = pen.people(count)
    layout = pen.layout
    pen.on("List")
    pen.row("A1", ["Player", "Opening", "Games", "Points", "Expected", "Change", "Closing"])
    pen.row("J1", ["K", k])
    opening = f"List!$A$2:$B${1 + count}"
    pen.on("May")
    pen.row("A1", ["White", "Black", "Res", "R white", "R black", "E white", "E black"])
    pairs = pen.pairs(names, n)
    for i, score in enumerate(pen.scores(n)):
        r = 2 + i
        pen.put(f"A{r}", names[pairs[i][0]])
        pen.put(f"B{r}", names[pairs[i][1]])
        pen.put(f"C{r}", score)
        for col, who in (("D", "A"), ("E", "B")):
            short = opening.replace(str(1 + count), str(count - 1))
            pen.put(f"{col}{r}", f"=VLOOKUP({who}{r},{tag('rng', opening, short=short)},2,FALSE)", "B" + col)
        pen.put(f"F{r}", "=" + expected(f"D{r}", f"E{r}"), "E1")
        pen.put(f"G{r}", f"={tag('comp', f'1-F{r}', other=f'F{r}')}", "E2")
        layout.games.append(Entry(r, "May", (pen.at(f"A{r}"), pen.at(f"B{r}")), (pen.at(f"C{r}"),)))
    last = 1 + n
    pen.on("List")
    for j, name in enumerate(names):
        r = 2 + j
        pen.put(f"A{r}", name)
        pen.put(f"B{r}", 1400 + 10 * rng.randrange(0, 35))

        def area(col: str, end: int = last) -> str:
            return f"May!${col}$2:${col}${end}"

        def both(end: int, r: int = r) -> str:
            return f"COUNTIF({area('A', end)},A{r})+COUNTIF({area('B', end)},A{r})"

        pen.put(f"C{r}", "=" + tag("rng", both(last), short=both(last - 3)), "COUNT")

        def points(end: int, r: int = r) -> str:
            a, b, c = (area(col, end) for col in "ABC")
            return f"SUMIF({a},A{r},{c})+COUNTIF({b},A{r})-SUMIF({b},A{r},{c})"

        both_win = f"SUMIF({area('A')},A{r},{area('C')})+SUMIF({area('B')},A{r},{area('C')})"
        shared = tag("shared", points(last), both=both_win)
        pen.put(f"D{r}", "=" + tag("rng", shared, short=points(last - 3)), "POINTS")

        def sums(end: int, r: int = r) -> str:
            return f"SUMIF({area('A', end)},A{r},{area('F', end)})+SUMIF({area('B', end)},A{r},{area('G', end)})"

        pen.put(f"E{r}", "=" + tag("rng", sums(last), short=sums(last - 3)), "E")
        pen.put(f"F{r}", "=" + change(tag("K", "$K$1", literal=str(k), drift=f"K{1 + j}"), f"D{r}", f"E{r}"), "D")
        pen.put(f"G{r}", f"={tag('base', f'B{r}')}+{tag('D', f'F{r}')}", "R", rating=True)
    layout.ledger = "May"
    layout.facts = {"scale": 400, "k": k}
    layout.k_cell = spot("List!K1")
    layout.traits |= {"no-order", "countif", "period"}
    return layout


def football(seed: int) -> Layout:
    """A football season: home advantage, goals, a factor for the margin, the table carried team by team."""
    pen = _Pen("football season", "player-game matrix", seed)
    rng = pen.rng
    count, n = rng.randrange(4, 6), rng.randrange(16, 28)
    k, bonus = rng.choice((20, 30)), rng.choice((60, 80, 100))
    teams = [f"Town {i + 1}" for i in range(count)]
    layout = pen.layout
    pen.on("Fixtures")
    pen.row("A1", ["K", k, "Home", bonus])
    pen.row("A3", ["Date", "Home", "Away", "HG", "AG", "Rh", "Ra", "We", "W", "G", "Change"])
    first = 13
    head = f"${column_letters(first)}$3:${column_letters(first + count - 1)}$3"
    for j, team in enumerate(teams):
        pen.put(f"{column_letters(first + j)}3", team)
        pen.put(f"{column_letters(first + j)}4", 1400 + 25 * rng.randrange(0, 12))
    pairs = pen.pairs(teams, n)
    for i in range(n):
        r = 5 + i
        pen.put(f"A{r}", DAY + 7 * (i // 2), form="yyyy-mm-dd")
        pen.put(f"B{r}", teams[pairs[i][0]])
        pen.put(f"C{r}", teams[pairs[i][1]])
        goals = rng.choice(((1, 0), (2, 0), (0, 3), (1, 2), (1, 1), (0, 0), (4, 1)))
        if i == n // 2:
            goals = (1, 1)
        pen.put(f"D{r}", goals[0])
        pen.put(f"E{r}", goals[1])
        line = f"${column_letters(first)}{r - 1}:${column_letters(first + count - 1)}{r - 1}"
        fixed = line.replace(str(r - 1), "$4")
        for col, who in (("F", "B"), ("G", "C")):
            pen.put(f"{col}{r}", f"=INDEX({tag('line', line, fixed=fixed)},MATCH({who}{r},{head},0))", "B" + col)
        difference = tag("diff", f"({tag('opp', f'G{r}')}-{tag('own', f'F{r}')}{tag('bonus', '-')}$D$1)")
        x = tag("x", difference + tag("scale", "/" + tag("sc", "400")))
        pen.put(f"H{r}", "=1/" + tag("den", f"(1+{tag('pw', '10' + tag('pow', '^') + f'({x})')})"), "E")
        pen.put(f"I{r}", f"=IF(D{r}>E{r},1,IF(D{r}=E{r},{tag('draw', '0.5')},0))", "S")
        pen.put(f"J{r}", f"=IF(ABS(D{r}-E{r})<2,1,IF(ABS(D{r}-E{r})=2,1.5,(11+ABS(D{r}-E{r}))/8))", "G")
        surplus = f"({tag('S', f'I{r}')}-{tag('E', f'H{r}', no='1')})"
        body = f"{tag('K', '$B$1', literal=str(k), drift=f'B{1 + i}')}*J{r}*{tag('se', surplus)}"
        pen.put(f"K{r}", "=" + tag("upd", body), "D")
        for j in range(count):
            letter = column_letters(first + j)
            win = tag("win", f"IF({letter}$3=$B{r},$K{r},0)")
            lose = tag("lose", f"IF({letter}$3=$C{r},$K{r},0)")
            pen.put(f"{letter}{r}", f"={tag('base', f'{letter}{r - 1}')}+{win}-{lose}", f"P{letter}", rating=True)
        layout.games.append(
            Entry(r, "Fixtures", (pen.at(f"B{r}"), pen.at(f"C{r}")), (pen.at(f"D{r}"),), (), pen.at(f"A{r}"))
        )
    layout.ledger = "Fixtures"
    layout.facts = {"scale": 400, "k": k, "advantage": bonus}
    layout.k_cell = pen.at("B1")
    layout.traits |= {"matrix", "goals"}
    return layout


# --- no ratings here ----------------------------------------------------------------------------------------


def league_table(seed: int) -> Layout:
    """A league table without any rating: points, wins, draws, losses, goals."""
    pen = _Pen("league table", "league-table", seed)
    rng = pen.rng
    count = rng.randrange(5, 9)
    layout = pen.layout
    pen.on("Table")
    pen.row("A1", ["Team", "P", "W", "D", "L", "GF", "GA", "GD", "Pts"])
    for i in range(count):
        r = 2 + i
        w, d, lost = rng.randrange(0, 9), rng.randrange(0, 5), rng.randrange(0, 9)
        pen.row(f"A{r}", [f"Town {i + 1}", None, w, d, lost, rng.randrange(5, 40), rng.randrange(5, 40)])
        pen.put(f"B{r}", f"=SUM(C{r}:E{r})", "P")
        pen.put(f"H{r}", f"=F{r}-G{r}", "GD")
        pen.put(f"I{r}", f"=3*C{r}+D{r}", "PTS")
    layout.rated = False
    return layout


def values_only(seed: int) -> Layout:
    """A ranking as numbers, no formula anywhere."""
    pen = _Pen("values only", "values-only", seed)
    rng = pen.rng
    pen.on("Elo")
    pen.row("A1", ["Rank", "Player", "Elo", "Games", "Change"])
    rating = 2100
    for i in range(rng.randrange(8, 30)):
        rating -= rng.randrange(1, 60)
        pen.row(f"A{2 + i}", [i + 1, f"Player {i + 1}", rating, rng.randrange(4, 80), rng.randrange(-20, 21)])
    pen.layout.rated = False
    return pen.layout


LAYOUTS: dict[str, Callable[[int], Layout]] = {
    "calculator": calculator,
    "rechner": rechner,
    "single log": single_log,
    "registro": registro,
    "K by games": k_by_games,
    "tournament report": fide_report,
    "pool look-up": pool_lookup,
    "pool max row": pool_index,
    "player-game matrix": carry_matrix,
    "two rows a game": two_rows,
    "list, ledger, ranking": three_sheets,
    "K per player": own_k,
    "matrix from a list": listed_matrix,
    "foosball pairs": foosball,
    "table with XLOOKUP": structured,
    "Q-form rivals": q_helpers,
    "winner-loser matrix": winner_loser,
    "all-pairs matrix": all_pairs,
    "all-pairs list": all_pairs_list,
    "monthly periods": monthly,
    "football season": football,
    "league table": league_table,
    "values only": values_only,
}


def _faced(name: str, across: bool) -> Callable[[int], Layout]:
    def layout(seed: int) -> Layout:
        found = LAYOUTS[name](seed)
        found.name = _faced_name(name, across)
        found.facing = Facing(across)
        return found

    return layout


def _faced_name(name: str, across: bool) -> str:
    return f"{name}, {'across' if across else 'newest on top'}"


FACED = ("single log", "registro", "K by games", "Q-form rivals")
LAYOUTS |= {_faced_name(name, across): _faced(name, across) for across in (False, True) for name in FACED}


def build(name: str, seed: int) -> Layout:
    """Return a layout by name and seed."""
    return LAYOUTS[name](seed)


__all__ = ["LAYOUTS", "Entry", "Layout", "build", "quote_sheet"]
