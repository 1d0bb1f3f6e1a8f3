"""Formula text: what the expressions print, what the text means, and the golden texts of the systems.

After a wanted change of a rule, write the golden files anew and review the difference:

    python tests/test_formula.py
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elo_sheets.errors import FormulaError
from elo_sheets.expr import Binary, Call, Expr, Logical, Number, Ref, Text, Unary, walk
from elo_sheets.formula import PORTABLE, functions, parse, to_formula
from elo_sheets.systems import SYSTEMS, Rules, System, lines
from elo_sheets.systems.glicko2 import SEARCH
from elo_sheets.uses.describing import parts

GOLDEN = Path(__file__).parent / "golden"
SCREEN_LINE = 110

a, b, c = Ref("a"), Ref("b"), Ref("c")


PHASES = {
    "opening": "the start of a period",
    "game": "each game",
    "forecast": "the forecast of a game",
    "closing": "closing the period",
    "part": "parts of the rule that are formulas",
}

# Settings other than choices that give a rule another form.
OTHER_FORMS = {"elo": ({"advantage": 65}, {"floor": 100}, {"carry_over": 0.75})}


def forms(system: Rules) -> list[tuple[str, Rules]]:
    """The forms of a rule: the default one, and one for every other choice or number that changes it."""
    if not isinstance(system, System):
        return [("", system)]
    others: list[dict[str, object]] = [{p.name: c} for p in system.parameters for c in p.choices if c != p.default]
    others += OTHER_FORMS.get(system.name, ())
    found: list[tuple[str, Rules]] = [("", system.shaped(system.settings()))]
    for chosen in others:
        shaped = system.shaped(system.settings(chosen))
        if parts(shaped) != parts(found[0][1]):
            found.append((", ".join(f"{name}={value}" for name, value in chosen.items()), shaped))
    return found


def golden_text(system: Rules) -> str:
    """Every step as its column shows it: label, name and formula; of another form what differs from the default."""
    lines = [f"{system.title}: the formula of every step, over the names that it reads"]
    default: list[tuple[str, str, Expr]] = []
    for form, shaped in forms(system):
        if form:
            lines += ["", f"with {form}"]
        before = ""
        for phase, name, expr in parts(shaped):
            if (phase, name, expr) in default:
                continue
            if phase != before:
                lines += ["", PHASES[phase]]
                before = phase
            lines.append(f"{shaped.label(name)} | {name} = {to_formula(expr)}")
        default = default or parts(shaped)
    return "\n".join(lines) + "\n"


def golden_path(system: Rules) -> Path:
    return GOLDEN / f"formulas-{system.name}.txt"


every_system = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
every_step = pytest.mark.parametrize(
    "expr",
    [
        pytest.param(expr, id=f"{system.name}-{form}-{name}")
        for system in SYSTEMS.values()
        for form, shaped in forms(system)
        for _, name, expr in parts(shaped)
    ],
)


@every_system
def test_the_steps_of_a_system_emit_the_reviewed_formulas(system: Rules) -> None:
    assert golden_text(system) == golden_path(system).read_text(encoding="utf-8")


@every_step
def test_an_emitted_formula_calls_portable_functions_only(expr: Expr) -> None:
    assert functions(expr) <= PORTABLE


@every_step
def test_an_emitted_formula_means_what_was_traced(expr: Expr) -> None:
    assert to_formula(parse(to_formula(expr))) == to_formula(expr)


@every_step
def test_an_emitted_formula_fits_on_a_screen_line(expr: Expr, request: pytest.FixtureRequest) -> None:
    # The search for a volatility has two lines a step: split, its rounds would have half as many columns again.
    name = request.node.callspec.id.rpartition("-")[2].partition(",")[0]
    most = 2 * SCREEN_LINE if name in {line.name for line in lines(SEARCH)} else SCREEN_LINE
    assert len(to_formula(expr)) <= most


# --- printing -----------------------------------------------------------------------------------------------

PRINTED = [
    ((a + b) * c, "(a+b)*c"),
    (a + b * c, "a+b*c"),
    (a - (b - c), "a-(b-c)"),
    ((a - b) - c, "a-b-c"),
    (a / (b * c), "a/(b*c)"),
    ((-a) ** 2, "(-a)^2"),
    (-(a**2), "-(a^2)"),
    ((a**b) ** c, "(a^b)^c"),
    (a ** (b**c), "a^(b^c)"),
    (2 ** (-a), "2^-a"),
    (Number(-2.0) ** 2, "(-2)^2"),
    (a - (-b), "a--b"),
    (a + (-2), "a+-2"),
    (Unary("%", a + b), "(a+b)%"),
    (Binary("=", a < b, c), "a<b=c"),
    (Binary("=", a, b < c), "a=(b<c)"),
    (Binary("&", a, Text('say "x"')), 'a&"say ""x"""'),
    (Call("IF", (a, None, b)), "IF(a,,b)"),
    (Call("IF", (Logical(True), b, Logical(False))), "IF(TRUE,b,FALSE)"),
    (Call("PI", ()), "PI()"),
    (Number(400.0), "400"),
    (Number(0.1), "0.1"),
    (Number(1e-7), "0.0000001"),
    (Number(2.0**60), "1.152921504606847E+18"),
    (1 / (1 + 10 ** ((b - a) / 400)), "1/(1+10^((b-a)/400))"),
]


@pytest.mark.parametrize(("expr", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_an_expression_prints_as_excel_stores_it(expr: Expr, text: str) -> None:
    assert to_formula(expr) == text


@pytest.mark.parametrize("names", [{"a": "$B$2"}, lambda name: {"a": "$B$2"}.get(name, name)])
def test_names_are_written_as_the_sheet_calls_them(names: object) -> None:
    assert to_formula(a + b, names) == "$B$2+b"  # type: ignore[arg-type]


# --- parsing ------------------------------------------------------------------------------------------------

SAME = [
    ("=1+2", "1+2"),
    (" a + b ", "a+b"),
    ("-2^2", "(-2)^2"),
    ("2^3^2", "(2^3)^2"),
    ("a^-2", "a^(-2)"),
    ("a-b-c", "(a-b)-c"),
    ("a&b=c", "(a&b)=c"),
    ("a+b&c", "(a+b)&c"),
    ("-5%", "(-5)%"),
    ("+a", "a"),
    ("sum(a,b)", "SUM(a,b)"),
    ("true", "TRUE"),
    ("@a", "a"),
    ("((a))", "a"),
    ("1.5E3", "1500"),
    (".5", "0.5"),
]


@pytest.mark.parametrize(("text", "meaning"), SAME)
def test_two_spellings_of_one_formula_parse_alike(text: str, meaning: str) -> None:
    assert parse(text) == parse(meaning)


REFERENCES = [
    "A1",
    "$A$1",
    "A1:B2",
    "A:A",
    "1:3",
    "Log!A1",
    "'It''s a log'!$A$1:$B$2",
    "Games[@Rating]",
    "Games[@[Opponent rating]]",
    "Games[[#This Row],[ΔR]]",
    "FideTable[From]",
    "Games[[#Headers],[No]]",
    "Games['[odd']]",
    "K_factor",
    "#N/A",
    "#DIV/0!",
    "{1,2;3,4}",
]


@pytest.mark.parametrize("text", REFERENCES)
def test_a_reference_is_one_name_spelt_as_it_is(text: str) -> None:
    assert parse(text) == Ref(text)


@pytest.mark.parametrize(
    "text", ["", "=", "1+", "SUM(1", "(1", "1)", "a b", '"open', "Games[No", "{1,2", "SUM(1;2)", "(A1,A2", "SUM(1,"]
)
def test_text_that_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="formula"):
        parse(text)


def test_functions_are_those_called_anywhere_in_a_formula() -> None:
    assert functions(parse('IF(MAX(A1,2)>1,"SUM(1)",round(A1,0))')) == {"IF", "MAX", "ROUND"}


def test_walk_finds_every_part_outermost_first() -> None:
    assert walk(a + (-b)) == [a + (-b), a, -b, b]


# --- there and back -----------------------------------------------------------------------------------------

# A negative literal is printed as a sign before a number, and parsed as that.
numbers = st.one_of(st.integers(0, 10**6), st.floats(0, 1e20, allow_nan=False)).map(lambda x: Number(float(x) + 0.0))
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(Text)
leaves = st.one_of(numbers, texts, st.booleans().map(Logical), st.sampled_from(REFERENCES).map(Ref))
binaries = st.sampled_from(["=", "<>", "<", ">", "<=", ">=", "&", "+", "-", "*", "/", "^"])


def grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    # A call without an argument and one with a single empty argument are the same text.
    several = st.lists(st.one_of(st.none(), inner), min_size=2, max_size=4)
    arguments = st.one_of(several, st.lists(inner, max_size=1)).map(tuple)
    return st.one_of(
        st.builds(Unary, st.sampled_from(["-", "%"]), inner),
        st.builds(Binary, binaries, inner, inner),
        st.builds(Call, st.sampled_from(sorted(PORTABLE)), arguments),
        st.builds(Call, st.just("(,)"), st.lists(inner, min_size=2, max_size=3).map(tuple)),
    )


expressions = st.recursive(leaves, grown, max_leaves=12)


@settings(deadline=None, max_examples=300)
@given(expressions)
def test_a_printed_expression_parses_to_itself(expr: Expr) -> None:
    assert parse(to_formula(expr)) == expr


@settings(deadline=None, max_examples=60)
@given(expressions)
def test_a_leading_equals_sign_changes_nothing(expr: Expr) -> None:
    assert parse("=" + to_formula(expr)) == expr


if __name__ == "__main__":
    for found in SYSTEMS.values():
        golden_path(found).write_text(golden_text(found), encoding="utf-8")
