"""The dresses in which rating arithmetic is published, each in a sheet of games whose ratings are typed.

Expected scores over two cells of powers, as percentages, with base and scale in cells, by a column of differences or of
exponents, as complements, with the home bonus inside a rating; scores that follow the margin; K by a table of ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from .desk import Desk
from .forms import after, change
from .sheets import At, Draft, Slip
from .truth import expected

Facts = dict[str, float]


@dataclass(frozen=True)
class Step:
    """A column of a recipe: its formula over {r} {o} {a} {b} (ratings, goals), settings, and columns by name."""

    role: str
    right: str
    truth: Callable[[Facts], float]
    wrong: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Recipe:
    steps: tuple[Step, ...]
    settings: Mapping[str, float] = field(default_factory=dict)
    s: str = "{result}"
    e: str = "{expected_1}"
    e2: str = "(1-{expected_1})"
    k: str = "{k}"
    lift: str = ""  # a setting that is added to the first side's rating


_E = Step(
    "expected 1",
    "1/(1+10^(({o}-{r})/{scale}))",
    lambda f: f["e"],
    {
        "swapped": "1/(1+10^(({r}-{o})/{scale}))",
        "scale_40": "1/(1+10^(({o}-{r})/40))",
        "absolute": "1/(1+10^(ABS({o}-{r})/{scale}))",
        "times_100": "100/(1+10^(({o}-{r})/{scale}))",
        "no_ln_10": "1/(1+EXP(({o}-{r})/{scale}))",
        "precedence": "1/(1+10^({o}-{r}/{scale})/1000)",
    },
)


def _over(form: str) -> dict[str, str]:
    return {"turned": f"1-{form}", "times_100": f"100*{form}", "even": "0.5", "halved": f"{form}/2"}


RECIPES = {
    "plain": Recipe((_E,)),
    "two cells of powers": Recipe(
        (
            Step(
                "q 1",
                "10^({r}/{scale})",
                lambda f: 10 ** (f["r"] / f["scale"]),
                {"scale_40": "10^({r}/200)", "opponent": "10^({o}/{scale})", "base_e": "EXP({r}/{scale})"},
            ),
            Step(
                "q 2",
                "10^({o}/{scale})",
                lambda f: 10 ** (f["o"] / f["scale"]),
                {"scale_40": "10^({o}/200)", "opponent": "10^({r}/{scale})", "base_e": "EXP({o}/{scale})"},
            ),
            Step(
                "expected 1",
                "{q_1}/({q_1}+{q_2})",
                lambda f: f["e"],
                {
                    "turned": "{q_2}/({q_1}+{q_2})",
                    "no_sum": "{q_1}/{q_2}",
                    "precedence": "{q_1}/{q_1}+{q_2}/{q_1}",
                    "even": "0.5",
                },
            ),
            Step(
                "expected 2",
                "{q_2}/({q_1}+{q_2})",
                lambda f: 1 - f["e"],
                {"same": "{q_1}/({q_1}+{q_2})", "no_sum": "{q_2}/{q_1}"},
            ),
        ),
        e2="{expected_2}",
    ),
    "percentages": Recipe(
        (
            Step(
                "expected 1",
                "100/(1+10^(({o}-{r})/{scale}))",
                lambda f: 100 * f["e"],
                {
                    "no_hundred": "1/(1+10^(({o}-{r})/{scale}))",
                    "swapped": "100/(1+10^(({r}-{o})/{scale}))",
                    "scale_40": "100/(1+10^(({o}-{r})/40))",
                    "absolute": "100/(1+10^(ABS({o}-{r})/{scale}))",
                },
            ),
        ),
        e="{expected_1}/100",
        e2="(1-{expected_1}/100)",
    ),
    "base in a cell": Recipe(
        (
            Step(
                "expected 1",
                "1/(1+{base}^(({o}-{r})/{scale}))",
                lambda f: f["e"],
                {
                    "swapped": "1/(1+{base}^(({r}-{o})/{scale}))",
                    "exchanged": "1/(1+{scale}^(({o}-{r})/{base}/1000))",
                    "base_e": "1/(1+EXP(({o}-{r})/{scale}))",
                    "scale_40": "1/(1+{base}^(({o}-{r})/40))",
                },
            ),
        ),
        {"base": 10},
    ),
    "a column of differences": Recipe(
        (
            Step(
                "gap",
                "{r}-{o}",
                lambda f: f["r"] - f["o"],
                {"swapped": "{o}-{r}", "absolute": "ABS({r}-{o})", "capped": "MIN(50,{r}-{o})", "sum": "{r}+{o}"},
            ),
            Step(
                "expected 1",
                "1/(1+10^(-{gap}/{scale}))",
                lambda f: f["e"],
                {
                    "sign": "1/(1+10^({gap}/{scale}))",
                    "scale_40": "1/(1+10^(-{gap}/40))",
                    "minus_one": "1/(1-10^(-{gap}/{scale}))",
                },
            ),
        )
    ),
    "a column of exponents": Recipe(
        (
            Step(
                "x",
                "({o}-{r})/{scale}",
                lambda f: (f["o"] - f["r"]) / f["scale"],
                {"swapped": "({r}-{o})/{scale}", "precedence": "({o}-{r}/{scale})/1000", "scale_40": "({o}-{r})/40"},
            ),
            Step(
                "power",
                "10^{x}",
                lambda f: 10 ** ((f["o"] - f["r"]) / f["scale"]),
                {"base_e": "EXP({x})", "times": "10*{x}", "turned": "10^-{x}"},
            ),
            Step(
                "expected 1",
                "1/(1+{power})",
                lambda f: f["e"],
                {"lost_one": "1/{power}", "precedence": "1/1+{power}", "turned": "1-1/(1+{power})"},
            ),
        )
    ),
    "a complement": Recipe(
        (
            Step(
                "expected 2",
                "1/(1+10^(({r}-{o})/{scale}))",
                lambda f: 1 - f["e"],
                {
                    "swapped": "1/(1+10^(({o}-{r})/{scale}))",
                    "scale_40": "1/(1+10^(({r}-{o})/40))",
                    "absolute": "1/(1+10^(ABS({r}-{o})/{scale}))",
                },
            ),
            Step(
                "expected 1",
                "1-{expected_2}",
                lambda f: f["e"],
                {"same": "{expected_2}", "minus": "{expected_2}-1", "beyond": "1.1-{expected_2}"},
            ),
        ),
        e2="{expected_2}",
    ),
    "home bonus in the rating": Recipe(
        (
            Step(
                "lifted",
                "{r}+{edge}",
                lambda f: f["r"] + f["edge"],
                {"minus": "{r}-{edge}", "dropped": "{r}", "twice": "{r}+2*{edge}", "other": "{o}+{edge}"},
            ),
            Step(
                "expected 1",
                "1/(1+10^(({o}-{lifted})/{scale}))",
                lambda f: f["e"],
                {
                    "swapped": "1/(1+10^(({lifted}-{o})/{scale}))",
                    "both": "1/(1+10^(({o}+{edge}-{lifted})/{scale}))",
                    "dropped": "1/(1+10^(({o}-{r})/{scale}))",
                },
            ),
        ),
        {"edge": 60},
        lift="edge",
    ),
    "points by the margin": Recipe(
        (
            Step(
                "score 1",
                "0.5+0.05*({a}-{b})",
                lambda f: 0.5 + 0.05 * (f["a"] - f["b"]),
                {
                    "sign": "0.5-0.05*({a}-{b})",
                    "sum": "0.5+0.05*({a}+{b})",
                    "no_half": "0.05*({a}-{b})",
                    "one": "1+0.05*({a}-{b})",
                },
            ),
            _E,
        ),
        s="{score_1}",
    ),
    "K by a table of ratings": Recipe(
        (
            Step(
                "k 1",
                "IF({r}>=1600,10,IF({r}>=1400,20,40))",
                lambda f: 10 if f["r"] >= 1600 else 20 if f["r"] >= 1400 else 40,
                {
                    "opponent": "IF({o}>=1600,10,IF({o}>=1400,20,40))",
                    "order": "IF({r}>=1400,20,IF({r}>=1600,10,40))",
                    "turned": "IF({r}>=1600,40,IF({r}>=1400,20,10))",
                    "typed": "20",
                },
            ),
            _E,
        ),
        k="{k_1}",
    ),
}


def recipe(name: str) -> Callable[[Random, Slip | None], Draft]:
    """Return a layout: a sheet of games whose ratings before are typed, by a published recipe."""
    chosen = RECIPES[name]

    def layout(rng: Random, slip: Slip | None) -> Draft:
        goals = any("{a}" in step.right for step in chosen.steps)
        between = ("blank", "heading")
        desk = Desk(rng, slip, between=between, guards=0, k_cell=True, scale_cell=True, games=(12, 18))
        settings = {"k": desk.k, "scale": desk.scale, **chosen.settings}
        top = desk.settings(**settings)
        one_k = chosen.k == "{k}"
        inputs = ["goals 1", "goals 2"] if goals else ["result"]
        roles = [
            "one",
            "two",
            "before 1",
            "before 2",
            *inputs,
            *(step.role for step in chosen.steps),
            "change 1",
            "after 1",
        ]
        roles += ["change 2", "after 2"] if one_k else []
        table = desk.table(desk.sheet, top, desk.left, roles)
        row = top
        for plan in desk.rows:
            row += 1
            if plan.kind == "heading":
                table.put("one", row, desk.words["month"])
            if plan.kind != "game" or not plan.game:
                continue
            game, number = plan.game, plan.number
            rng_rating = [desk.start[player] + rng.randrange(-150, 151) for player in (game.one, game.two)]
            contents: dict[str, object] = {
                "one": game.one,
                "two": game.two,
                "before 1": rng_rating[0],
                "before 2": rng_rating[1],
            }
            contents |= dict(zip(inputs, game.goals if goals else (game.score,), strict=True))
            labels = {"one": "name 1", "two": "name 2", "before 1": "rating typed 1", "before 2": "rating typed 2"}
            for role, content in contents.items():
                table.put(role, row, content, At(labels.get(role, role), number))
            _games_row(
                desk, chosen, table, row, number, (float(rng_rating[0]), float(rng_rating[1])), game.goals, game.score
            )
        return desk.draft

    return layout


def _games_row(
    desk: Desk,
    chosen: Recipe,
    table: object,
    row: int,
    number: int,
    ratings: tuple[float, float],
    goals: tuple[int, int],
    result: float,
) -> None:
    draft, a, put = desk.draft, table.a, table.put  # type: ignore[attr-defined]
    columns = table.columns  # type: ignore[attr-defined]
    words = {role.replace(" ", "_"): a(role, row) for role in columns} | desk.refs
    words |= {"r": a("before 1", row), "o": a("before 2", row)}
    words |= {"a": a("goals 1", row), "b": a("goals 2", row)} if "goals 1" in columns else {}
    lift = chosen.settings[chosen.lift] if chosen.lift else 0.0
    facts = {"r": ratings[0], "o": ratings[1], "a": goals[0], "b": goals[1], "scale": desk.scale, "edge": lift}
    facts["e"] = expected(ratings[0] + lift, ratings[1], desk.scale)
    s, k = result, float(desk.k)
    for step in chosen.steps:
        at, truth = At(step.role, number), step.truth(facts)
        wrong = {kind: text.format(**words) for kind, text in step.wrong.items()}
        put(step.role, row, "=" + draft.pick(at, step.right.format(**words), **wrong), at, truth)
        s = truth if step.role == "score 1" else s
        k = truth if step.role == "k 1" else k
    gained = k * (s - facts["e"])
    said = {
        name: text.format(**words)
        for name, text in (("s", chosen.s), ("e", chosen.e), ("e2", chosen.e2), ("k", chosen.k))
    }
    at = At("change 1", number)
    put(
        "change 1",
        row,
        "=" + change(draft, at, desk.change_style, said["k"], said["s"], said["e"], said["e2"]),
        at,
        gained,
    )
    at = At("after 1", number)
    text = after(draft, at, words["r"], words["change_1"], words["o"])
    put("after 1", row, f"={text}", at, ratings[0] + gained)
    if "change 2" in columns:
        at = At("change 2", number)
        text = change(draft, at, desk.change_style, said["k"], f"(1-{said['s']})", said["e2"], said["e"])
        put("change 2", row, f"={text}", at, -gained)
        at = At("after 2", number)
        text = after(draft, at, words["o"], words["change_2"], words["r"], words["change_1"])
        put("after 2", row, f"={text}", at, ratings[1] - gained)
