"""The Ledger of a book of sides: the formulas of its columns, and the rule's values from the replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from elo_sheets.systems import lines
from elo_sheets.systems.sides import OWN_WEIGHT, SIZE
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.facts import best_of, step_unit
from elo_sheets.workbook.layout import UNRATED, TableLayout, column_text, day_read, rule_formula, trimmed
from elo_sheets.workbook.plan import CellValue, Fill
from elo_sheets.workbook.pools.columns import start_labels
from elo_sheets.workbook.sides.pool import (
    NO_RESULT,
    OTHERS,
    RATED,
    SEAT_EXPECTED,
    TOO_FEW,
    TWICE,
    UNKNOWN,
    Shape,
    SidedPool,
    by_seat,
    by_winner,
    seat_expected,
    step_label,
    step_names,
)
from elo_sheets.workbook.sports.profiles import NO_DRAWS

# A player and a partner as one number, of more players than a book can hold.
PAIR = 1_000_000


def pair_labels(shape: Shape) -> tuple[list[str], list[str]]:
    """Return the headers of a row's pairs, one for each partner, and of how many there are up to each."""
    partners = range(1, shape.size)
    if shape.size == 2:
        return ["Pair"], ["Pair no."]
    return [f"Pair {one}" for one in partners], [f"Pair {one} no." for one in partners]


class SidesLedger:
    """Writes the Ledger of a pool of sides."""

    def __init__(self, pool: SidedPool, cells: Mapping[str, str], labels: Sequence[str]) -> None:
        self.pool, self.shape, self.system, self.cells = pool, pool.shape, pool.system, cells
        self.layout = TableLayout("Ledger", labels, HEADER_ROW)
        self.initial = {state.name: state.initial for state in self.system.state}
        self.rows = pool.games_held * self.shape.seats

    def label(self, name: str) -> str:
        """Return the header of a column of the rule."""
        return step_label(self.system, self.shape, name)

    @property
    def start_columns(self) -> dict[str, str]:
        """The columns of Players for what a player starts from, by state."""
        return {"rating": "Start rating"} | start_labels(self.system)

    # Notation

    def _group(self, label: str) -> str:
        return f"group1to{self.shape.seats}[{label}]"

    def _own_side(self, function: str, label: str) -> str:
        first, second = self._of_sides(function, label)
        return f"IF([Side]=1,{first},{second})"

    def _other_side(self, label: str) -> str:
        first, second = self._of_sides("MAX", label)
        return f"IF([Side]=1,{second},{first})"

    def _of_sides(self, function: str, label: str) -> tuple[str, str]:
        size, seats = self.shape.size, self.shape.seats
        return f"{function}(group1to{size}[{label}])", f"{function}(group{size + 1}to{seats}[{label}])"

    def _typed(self, labels: Sequence[str], by: str) -> str:
        cells = ",".join(f"INDEX(Games[{column_text(label)}],[Game])" for label in labels)
        return f"CHOOSE([{by}],{cells})"

    def fill(self, notation: str, unit: str = "text", first: str | None = None) -> Fill:
        """Return a column that is a formula alone; `first` is for the rows of the first game."""
        return self.layout.fill(notation, unit, first=first, pair=self.shape.seats)

    # The columns

    def fills(self) -> dict[str, Fill]:
        """Return the fill of every role of the Ledger."""
        return self._told() | self._rule() | self._after()

    def _told(self) -> dict[str, Fill]:
        shape, seats = self.shape, self.shape.seats
        held = "[Game]>ROWS(Games[Game])"
        points = self._typed(shape.points_labels, "Side")
        standing = f'IF(ISNUMBER({points}),0-{points},"")'
        if shape.is_table:
            place = self._typed(shape.place_labels, "Seat")
            standing = f'IF([Placed]>0,IF(ISNUMBER({place}),{place},""),{standing})'
        numbers = [float(i) for i in range(1, self.rows + 1)]
        names = f'SUMPRODUCT(({self._group("Player")}<>"")*1)'
        unknown = f'SUMPRODUCT(({self._group("Player")}<>"")*({self._group("Player no.")}=0))'
        missing = f'SUMPRODUCT(({self._group("Player")}<>"")*({self._group("Standing")}=""))'
        told = f"COUNT({self._group('Standing')})"
        size = shape.size
        sides = [f'SUMPRODUCT((group{a}to{b}[Player]<>"")*1)' for a, b in ((1, size), (size + 1, seats))]
        few = f"{names}<2" if shape.is_table else f"OR({sides[0]}=0,{sides[1]}=0)"
        rated = f'"{RATED}"'
        if not shape.draws:
            one, other = (f"INDEX({self._group('Standing')},{seat})" for seat in (1, seats))
            rated = f'IF({one}={other},"{NO_DRAWS}",{rated})'
        status = (
            f'IF(AND({names}=0,{told}=0),"",IF({unknown}>0,"{UNKNOWN}",IF(SUM({self._group("Twice")})>0,"{TWICE}",'
            f'IF({few},"{TOO_FEW}",IF({missing}>0,"{NO_RESULT}",{rated})))))'
        )
        other = f"({self._group('Side')}<>[Side])*({self._group('Rated no.')}>0)"
        better = f"({self._group('Standing')}>[Standing])+0.5*({self._group('Standing')}=[Standing])"
        player = trimmed(self._typed(shape.seat_labels, "Seat"))
        fills = {
            "row": Fill(numbers, unit="count"),
            "ledger_game": Fill([float((i - 1) // seats + 1) for i in range(1, self.rows + 1)], unit="count"),
            "seat": Fill([float(i % seats + 1) for i in range(self.rows)], unit="count"),
            "side": Fill([float(shape.side(i % seats + 1)) for i in range(self.rows)], unit="count"),
            "ledger_date": self.fill(f"IF({held},0,{day_read('INDEX(Games[Date],[Game])')})", "date"),
            "ledger_player": self.fill(f'IF({held},"",{player})'),
            "ledger_player_number": self.fill(
                'IF([Player]="",0,SUMPRODUCT((Players[Known as]=[Player])*Players[Id]))', "count"
            ),
            "twice": self.fill(
                f"IF([Player no.]=0,0,IF(COUNTIF({self._group('Player no.')},[Player no.])>1,1,0))", "count"
            ),
            "standing": self.fill(f'IF({held},"",{standing})', "number"),
            "game_status": self.fill(status),
            "ledger_status": self.fill('IF([Player]="","",[Game status])'),
            "rated_number": self.fill(f'IF([Status]="{RATED}",[Player no.],0)', "count"),
            "rivals": self.fill(f"IF([Rated no.]=0,0,SUMPRODUCT({other}))", "count"),
            "score": self.fill(f'IF({UNRATED},"",SUMPRODUCT({other}*({better}))/[Rivals])', "share"),
            "previous": self._previous(),
            "latest_date": self.fill("MAX(N(prior[Latest date]),[Date])", "date"),
            "order_break": self.fill("IF(AND([Date]>0,[Date]<[Latest date]),1,0)", "count"),
        }
        if by_winner(self.system, shape):
            ahead = f"({self._group('Rated no.')}>0)*({self._group('Standing')}<[Standing])"
            played = f"(({self._group('First')}+[First])>0)"
            fills["first"] = self.fill(f"IF([Rated no.]=0,0,IF(SUMPRODUCT({ahead})=0,1,0))", "count")
            fills["games_shared"] = self.fill(
                f"IF([Rated no.]=0,0,IF([Rivals]=1,1,SUM({self._group('First')})))", "count"
            )
            score = f"SUMPRODUCT({other}*({better})*{played})/[Shared by]"
            fills["score"] = self.fill(f'IF({UNRATED},"",{score})', "share")
        if shape.is_table:
            counted = ",".join(f"INDEX(Games[{label}],[Game])" for label in shape.place_labels)
            fills["placed"] = self.fill(f"IF({held},0,COUNT({counted}))", "count")
        return fills

    def _previous(self) -> Fill:
        """Return the row of the player's game before, found among all rows above; 0 for his first."""
        search = "IF([Rated no.]=0,0,SUMPRODUCT(MAX((first[Rated no.]=[Rated no.])*first[No.])))"
        return self.fill(search, "count", "0*[Rated no.]")

    def references(self) -> dict[str, str]:
        """Return where each name that a step reads stands."""
        own = {name: f"[{self.label(name)}]" for name in step_names(self.system, self.shape)}
        own |= {p.name: self.cells[p.name] for p in self.system.parameters if p.name in self.cells}
        own |= {"score": "[Score]", "elapsed": "1", OWN_WEIGHT: "1", "period_games": "1"}
        own |= {"side": "IF([Side]=1,1,-1)", "neutral": "0"}
        if self.shape.is_table:
            own |= {SIZE: "1", "side_total": own["rating"], "side_best": own["rating"], "side_rating": own["rating"]}
        return own | {f"period_{name}": own[name] for name in self.system.sums}

    def _rule(self) -> dict[str, Fill]:
        references = self.references()
        steps = {line.name: line for line in (*self.system.lines, *lines(self.system.forecast))}
        found = {}
        for name in step_names(self.system, self.shape):
            first = None
            if name in self.initial:
                typed = f"INDEX(Players[{column_text(self.start_columns[name])}],[Player no.])"
                first = f"IF(ISNUMBER({typed}),{typed},{self.cells[self.initial[name]]})"
                formula = f"IF([Previous]=0,{first},INDEX(first[{self.label(f'{name}_after')}],[Previous]))"
            elif name.startswith(SEAT_EXPECTED):
                formula = self._seat_expected(int(name.removeprefix(SEAT_EXPECTED)), references)
            elif name == "expected" and by_seat(self.system, self.shape):
                every = [f"[{self.label(f'{SEAT_EXPECTED}{seat}')}]" for seat in range(1, self.shape.seats + 1)]
                games = "[Shared by]" if by_winner(self.system, self.shape) else "[Rivals]"
                formula = f"SUM({','.join(every)})/{games}"
            else:
                formula = self._of_side(name) or rule_formula(steps[name], references)
            guarded = [None if text is None else f'IF({UNRATED},"",{text})' for text in (formula, first)]
            fill = self.fill(str(guarded[0]), step_unit(self.system, name), guarded[1])
            found[f"step:{name}"] = replace(fill, values=self.values[name])
        return found

    def _seat_expected(self, seat: int, references: Mapping[str, str]) -> str:
        rating = f"s{seat}[{self.label('rating')}]"
        idle = f"[Seat]={seat},s{seat}[Rated no.]=0"
        idle += f",[First]+s{seat}[First]=0" if by_winner(self.system, self.shape) else ""
        return f"IF(OR({idle}),0,{seat_expected(self.system, references, rating)})"

    def _of_side(self, name: str) -> str:
        """Return the formula of a sum over a side, or of what the other side has; "" for a step."""
        if self.shape.is_table:
            own = f"[{self.label('rating')}]"
            return f"(SUM({self._group(self.label('rating'))})-{own})/[Rivals]" if name == OTHERS else ""
        if name == SIZE:
            return self._own_side("COUNT", self.label("rating"))
        for member in self.system.members:
            if name == member.name:
                return self._own_side("MAX" if member.kind == "max" else "SUM", self.label(member.of))
        if name.startswith("opponent_"):
            return self._other_side(self.label(name.removeprefix("opponent_")))
        return ""

    @cached_property
    def starts(self) -> dict[str, dict[str, float]]:
        """What each listed player starts from, by number as text."""
        return self.pool.start_states(self.start_columns, self.initial)

    @cached_property
    def values(self) -> dict[str, list[CellValue]]:
        """The values of the rule's columns, from the replay."""
        rated = self.pool.rated(self.starts)
        found: dict[str, list[CellValue]] = {}
        for name in step_names(self.system, self.shape):
            found[name] = ["" if row is None else 0.0 for row in rated]
        for at, row in enumerate(rated):
            if row is None:
                continue
            for name in found:
                if name.startswith(SEAT_EXPECTED):
                    seat = int(name.removeprefix(SEAT_EXPECTED))
                    told = [values["expected"] for side, _, values in row.against if side == seat]
                    found[name][at] = float(told[0]) if told else 0.0
                else:
                    found[name][at] = float(row.row[name])
        return found

    def _after(self) -> dict[str, Fill]:
        """Return what a player has reached, and whom he played with and against."""
        after, best = f"[{self.label('rating_after')}]", best_of(self.system)
        seats, size = self.shape.seats, self.shape.size
        fills = {
            "best_so_far": self.fill(
                f'IF({UNRATED},"",IF([Previous]=0,{after},{best}({after},INDEX(first[Best so far],[Previous]))))',
                "points",
                f'IF({UNRATED},"",{after})',
            ),
            "rating_change": self.fill(f'IF({UNRATED},"",{after}-[{self.label("rating")}])', "points"),
        }
        for number in range(1, size):
            others = [
                [seat for seat in range(1, seats + 1) if self.shape.side(seat) == self.shape.side(own) and seat != own]
                for own in range(1, seats + 1)
            ]
            cells = ",".join(f"s{found[number - 1]}[Rated no.]" for found in others)
            fills[f"partner:{number}"] = self.fill(f"IF([Rated no.]=0,0,CHOOSE([Seat],{cells}))", "count")
        for number in range(1, (seats if size == 1 else size) + 1):
            cell = f"IF([Side]=1,s{size + number}[Rated no.],s{number}[Rated no.])" if size > 1 else ""
            alone = f"IF([Seat]={number},0,s{number}[Rated no.])"
            fills[f"opponent:{number}"] = self.fill(f"IF([Rated no.]=0,0,{cell or alone})", "count")
        pairs, numbers = pair_labels(self.shape)
        for at, pair in enumerate(pairs):
            partner = f"[Partner {at + 1} no.]"
            code = f"IF(OR([Rated no.]=0,{partner}<=[Rated no.]),0,{PAIR}*[Rated no.]+{partner})"
            so_far = f"[{numbers[at - 1]}]" if at else f"N(up[{numbers[-1]}])"
            met = "+".join(f"COUNTIF(above[{other}],[{pair}])" for other in pairs)
            fills[f"pair:{at + 1}"] = self.fill(code, "count")
            # No pair stands twice in a game, so that none of the first one has met before.
            new, first = (f"{so_far}+IF([{pair}]=0,0,{number})" for number in (f"IF({met}=0,1,0)", "1"))
            fills[f"pair_number:{at + 1}"] = self.fill(new, "count", first)
        return fills
