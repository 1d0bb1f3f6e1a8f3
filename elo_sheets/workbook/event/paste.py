"""One player's calculation from a pasted list of opponents and results, as the change calculators take it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from elo_sheets.expr import Ref
from elo_sheets.files.references import column_letters
from elo_sheets.formula import to_formula
from elo_sheets.odds.performance import linear_performance, table_performance
from elo_sheets.systems import Line, lines, uschess
from elo_sheets.workbook.book import HEADER_ROW
from elo_sheets.workbook.event import performances as performances
from elo_sheets.workbook.event.games import SPELLED, Table
from elo_sheets.workbook.event.ratings import CARRIED, Ratings, gain_of, k_style, label, styles
from elo_sheets.workbook.event.rules import EventRules, Fact
from elo_sheets.workbook.facts import step_style, step_unit
from elo_sheets.workbook.highlights import verdict_highlights
from elo_sheets.workbook.layout import in_two_lines, ladder, rule_formula
from elo_sheets.workbook.plan import (
    PENDING,
    CellPlan,
    CellValue,
    ColumnPlan,
    Highlight,
    SheetPlan,
    TablePlan,
    Validation,
    asked,
    figured,
)
from elo_sheets.workbook.spellings import NO_RESULT
from elo_sheets.workbook.words import replaces

LABEL_COLUMN, VALUE_COLUMN = 14, 15
RATING_ROW, STEP_ROW, FACT_ROW = 5, 6, 7
# Above the player, beside the header of the table.
STATUS_ROW = 3
FACTS = 5
FIRST_LINE = FACT_ROW + FACTS + 1
# What a row that does not count says; a colon is in what is not understood.
NO_RATING = "no rating"
REMEDY = f"{NO_RESULT}: write 1, ½ or 0"
READY, ODD, NO_ROW, NO_PLAYER = (
    "ready",
    "A row in red is not understood",
    "Paste ratings and results",
    "Type the rating",
)

STYLES = styles(
    {
        "change_fine": "gain",
        "decimal": "bonus full_games effective_games base_k dual_factor",
        "number": "earlier_bonus_factor bonus_factor bonus_allowed",
    }
)


def paste_cells() -> dict[str, tuple[str, int, int]]:
    """Return the cells that the player is typed into."""
    rows = {"paste_rating": RATING_ROW, "paste_step": STEP_ROW}
    rows |= {f"paste_fact_{i + 1}": FACT_ROW + i for i in range(FACTS)}
    return {role: ("Paste", row, VALUE_COLUMN) for role, row in rows.items()}


def asked_facts(rules: EventRules) -> Mapping[str, Fact]:
    """Return what the sheet asks of the player besides his rating."""
    return {"games": rules.personal["games"]} if rules.name == "uschess" else rules.personal


def paste_facts(rules: EventRules, facts: Mapping[str, float]) -> dict[str, CellValue]:
    """Return what those cells hold where facts are known of every player, by their columns on Players."""
    return {f"paste_fact_{i}": facts.get(fact.label) for i, fact in enumerate(asked_facts(rules).values(), 1)}


_SCORE = f"INDEX(Spellings[Score],{SPELLED.row('[Result]')})"
_STATUS = (
    f'IF([Opponent]="",IF(TRIM([Result])="","","{NO_RATING}"),IF(NOT(ISNUMBER([Opponent])),"{NO_RATING}: a number",'
    f'IF([Opponent]<=0,"{NO_RATING}",IF(TRIM([Result])="","{NO_RESULT}",IF(ISNUMBER({_SCORE}),"rated","{REMEDY}")))))'
)


class Paste:
    """The cells of the sheet."""

    def __init__(self, made: Ratings, rules: EventRules, about: Mapping[str, str]) -> None:
        self.made, self.event, self.rules, self.about = made, made.event, rules, about
        self.inputs, self.facts = self.event.inputs, asked_facts(rules)
        self.columns = self._columns()
        self.table = Table("Paste", {role: text for role, text, *_ in self.columns}, self.inputs.rows("Paste"))
        self.cells: list[CellPlan] = []
        self.row = FIRST_LINE
        # The cells of the figures by the names that the rule reads, and the names of these cells.
        self.references: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def _columns(self) -> list[tuple[str, str, str, float, str]]:
        about = self.about
        found = [
            ("typed:Opponent", "Opponent", "rating", 10.0, ""),
            ("typed:Result", "Result", "choice", 8.0, ""),
            ("paste_status", "Status", "status", 24.0, "Whether the row counts, or what is missing or not understood."),
            ("paste_score", "Score", "number", 8.0, "The result as points; empty while rating or result are missing."),
        ]
        for line in lines(self.rules.game):
            style = STYLES.get(line.name, step_style(self.rules, line.name))
            found.append(
                (f"step:Paste:{line.name}", label(self.event, line.name), style, 8.0, about.get(line.name, ""))
            )
        found.append(("paste_share", "K × ΔR", "change_fine", 8.0, "The game's share of the change."))
        return found

    def build(self) -> None:
        """Add the table's columns and the figures beside it."""
        table = self.table
        for name in ("Opponent", "Result"):
            table.constants(f"typed:{name}", self.inputs.tables["Paste"][name])
        table.add("paste_status", _STATUS, "text")
        table.add("paste_score", f'IF([Status]="rated",{_SCORE},"")', "number")
        cell = self.named("rating", RATING_ROW)
        self._status(cell)
        own = {"rating": cell, "opponent_rating": "[Opponent]", "score": "[Score]", "widest": "1"}
        guard = f'OR(Paste_status<>"{READY}",[Score]="")'
        self.made.add_steps(table, lines(self.rules.game), own, guard)
        self._inputs()
        self._figures()
        share = f'IF({guard},"",N({self.references["k_used"]})*{gain_of(table)})'
        table.add("paste_share", share, "points")

    def _status(self, rating: str) -> None:
        """Add the line that says whether the figures stand."""
        wants = (
            (f"N({rating})<=0", NO_PLAYER),
            ('COUNTIF(Paste[Status],"*:*")>0', ODD),
            ('COUNTIF(Paste[Status],"rated")=0', NO_ROW),
        )
        formula = ladder([(test, f'"{says}"') for test, says in wants], f'"{READY}"')
        self.cells.append(CellPlan(STATUS_ROW, LABEL_COLUMN, "Status", style="label"))
        self.cells.append(
            CellPlan(STATUS_ROW, VALUE_COLUMN, PENDING, formula, "verdict", "text", merge_to=VALUE_COLUMN + 1)
        )
        self.named("status", STATUS_ROW)

    def named(self, name: str, row: int) -> str:
        """Give the cell of a figure a name, and return it."""
        self.names[f"Paste_{name}"] = f"Paste!${column_letters(VALUE_COLUMN)}${row}"
        return f"Paste_{name}"

    # The player

    def _inputs(self) -> None:
        self.cells.append(CellPlan(HEADER_ROW, LABEL_COLUMN, "The player", style="section", merge_to=VALUE_COLUMN))
        typed = next(filter(None, (self.rules.typed_step(line.name) for line in self._closing())), None)
        rows = [(RATING_ROW, "paste_rating", "Rating", "The rating before the event.")]
        if typed:
            rows.append((STEP_ROW, "paste_step", f"{typed}, if known", "Left empty it follows from what stands below."))
        for i, (name, fact) in enumerate(self.facts.items()):
            text = label(self.event, name)
            rows.append((FACT_ROW + i, f"paste_fact_{i + 1}", text, f"Left empty it counts as {fact.empty:g}."))
        for row, role, text, message in rows:
            check = Validation(
                "number", minimum=-1, maximum=100000, title=text[:32], message=message, error="A number, or nothing."
            )
            self.cells += asked(row, LABEL_COLUMN, text, self.inputs.cells.get(role), "rating", check)

    # The figures

    def _closing(self) -> list[Line]:
        if self.rules.name == "uschess":
            return [Line.of(step) for step in USCHESS_STEPS]
        return [line for line in lines(self.rules.closing) if line.name not in CARRIED]

    def figure(self, name: str, text: str, formula: str, style: str, unit: str) -> None:
        """Add a figure that later ones may read by its name."""
        self.cells += figured(self.row, LABEL_COLUMN, text, formula, style, unit)
        self.references[name] = self.named(name, self.row)
        self.row += 1

    def total(self, name: str, text: str, formula: str, style: str, unit: str) -> None:
        """Add a figure that is empty while nothing counts."""
        self.figure(name, text, f'IF({self.references["period_games"]}=0,"",{formula})', style, unit)

    def _figures(self) -> None:
        labels = self.table.labels
        self.cells.append(CellPlan(self.row, LABEL_COLUMN, "The event", style="section", merge_to=VALUE_COLUMN))
        self.row += 1
        rated = f"Paste[{labels['step:Paste:expected']}]"
        self.figure("period_games", "n", f"COUNT({rated})", "ordinal", "count")
        self.total("period_score", "W", "SUM(Paste[Score])", "number", "number")
        self.total("period_expected", "We", f"SUM({rated})", "decimal_fine", "share")
        # Ratings without a result are not counted: the sum asks for the score.
        rc = f'SUMIFS(Paste[Opponent],Paste[Score],">=0")/{self.references["period_games"]}'
        self.total("rc", "Rc", rc, "points", "points")
        for name in self.rules.sums:
            if name not in {"score", "expected"}:
                self.total(
                    f"period_{name}",
                    label(self.event, f"period_{name}"),
                    f"SUM(Paste[{labels[f'step:Paste:{name}']}])",
                    "change_fine" if name == "delta" else "number",
                    step_unit(self.rules, name),
                )
        self._steps()
        self._performance()

    def _steps(self) -> None:
        references = self.made.constants | self.references
        references |= {"rating": self.named("rating", RATING_ROW), "most_often": "1"}
        for i, (name, fact) in enumerate(self.facts.items()):
            cell = self.named(name, FACT_ROW + i)
            references[name] = f"IF(ISNUMBER({cell}),{cell},{fact.empty:g})"
        for line in self._closing():
            formula = rule_formula(line, references)
            style, unit = self._style(line.name), step_unit(self.rules, line.name)
            if self.rules.typed_step(line.name):
                cell = self.named(f"{line.name}_typed", STEP_ROW)
                name = f"{line.name}_by_rule"
                self.total(name, f"{label(self.event, line.name)} by the rule", formula, style, unit)
                ruled = self.references[name]
                self.cells.append(
                    CellPlan(STEP_ROW, VALUE_COLUMN + 1, PENDING, replaces(cell, ruled), "remark", "text")
                )
                formula = f"IF(N({cell})>0,{cell},{ruled})"
            if line.name == "bonus_allowed":
                formula = f"IF({formula},1,0)"
            if line.name in {"rating_after", "standard_rating"}:
                style = "points_strong" if self.rules.name == "uschess" else "whole_strong"
            self.total(line.name, label(self.event, line.name), formula, style, unit)
            references[line.name] = self.references[line.name]
        if self.rules.name == "uschess":
            few = f"{references['games']}<={uschess.SPECIAL_GAMES}"
            remark = f'IF({few},"at most 8 games: the special formula, see Players","")'
            self.total("remark", "Remark", remark, "status", "text")

    def _style(self, name: str) -> str:
        if name == "k_used":
            return k_style(self.event)
        return STYLES.get(name, step_style(self.rules, name))

    def _performance(self) -> None:
        w, games, mean = (Ref(self.references[name]) for name in ("period_score", "period_games", "rc"))
        wins, losses = Ref("COUNTIF(Paste[Score],1)"), Ref("COUNTIF(Paste[Score],0)")
        shown = to_formula(table_performance(mean, w, games))
        if self.rules.name == "dwz":
            shown = performances.shown_of("ROWS(Performances[Row])")
        linear = to_formula(linear_performance(mean, wins, losses, games))
        self.total("rp", "Rp", shown, "whole", "points")
        self.total("linear", "Rp linear", linear, "points", "points")


USCHESS_STEPS = (
    uschess.full_games,
    uschess.effective_games,
    uschess.base_k,
    uschess.dual_factor,
    uschess.k_used,
    uschess.gain,
    uschess.earlier_bonus_factor,
    uschess.bonus_factor,
    uschess.bonus_allowed,
    uschess.bonus,
    uschess.standard_rating,
)


def paste_sheet(
    heading: tuple[CellPlan, ...],
    paste: Paste,
    sheet: Mapping[str, Any],
    checked: Callable[[Mapping[str, Any]], Validation],
) -> SheetPlan:
    """Return the sheet; `checked` makes what may be typed of what the template says of it."""
    typed = {f"typed:{name}": column for name, column in (("Opponent", 0), ("Result", 1))}
    specs = sheet["column"]
    columns = []
    for role, text, style, width, about in paste.columns:
        spec = specs[typed[role]] if role in typed else {}
        check = checked(spec["validation"]) if "validation" in spec else None
        wide = max(width, in_two_lines(text))
        columns.append(ColumnPlan(text, paste.table.fills[role], role, style, wide, role in typed, check, about))
    table = TablePlan("Paste", HEADER_ROW, tuple(columns), paste.table.rows)
    result = table.range("Result")
    first = table.first_data_row
    score, state = f"$D{first}", f"$C{first}"
    verdict = f"${column_letters(VALUE_COLUMN)}${STATUS_ROW}"
    rows = f"$A${first}:$C${table.last_row}"
    highlights = (
        Highlight(verdict, f'{verdict}="{ODD}"', "alarm"),
        *verdict_highlights(verdict, f'{verdict}="{READY}"')[:1],
        Highlight(rows, f'ISNUMBER(FIND(":",{state}))', "alarm"),
        Highlight(result, f"AND(ISNUMBER({score}),N({score})=1)", "win"),
        Highlight(result, f"AND(ISNUMBER({score}),N({score})=0.5)", "draw"),
        Highlight(result, f"AND(ISNUMBER({score}),N({score})=0)", "loss"),
    )
    widths = {i: column.width for i, column in enumerate(columns, 1)} | {LABEL_COLUMN: 30, VALUE_COLUMN: 10}
    widths[VALUE_COLUMN + 1] = 16
    widths |= dict.fromkeys(range(len(columns) + 1, LABEL_COLUMN), 2.0)
    return SheetPlan(
        sheet["name"],
        (*heading, *paste.cells),
        (table,),
        highlights=highlights,
        widths=widths,
        frozen_rows=HEADER_ROW,
        landscape=True,
    )
