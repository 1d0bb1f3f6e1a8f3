"""How people spell the parts of a rating formula, and how they spell them wrongly."""

from __future__ import annotations

from dataclasses import dataclass

from .sheets import At, Draft

# --- the expected score -------------------------------------------------------------------------------------

CURVES = (
    "1/(1+10^(({o}-{r})/{s}))",
    "1/(1+POWER(10,({o}-{r})/{s}))",
    "1/(10^(({o}-{r})/{s})+1)",
    "1/(1+10^(-({r}-{o})/{s}))",
    "1/(1+EXP(LN(10)*({o}-{r})/{s}))",
    "1/(1+EXP(({o}-{r})*LN(10)/{s}))",
    "10^({r}/{s})/(10^({r}/{s})+10^({o}/{s}))",
    "POWER(10,{r}/{s})/(POWER(10,{r}/{s})+POWER(10,{o}/{s}))",
    "1-1/(1+10^(({r}-{o})/{s}))",
    "(1+10^(({o}-{r})/{s}))^-1",
)


def curve(style: int, own: str, other: str, scale: str) -> str:
    return CURVES[style % len(CURVES)].format(r=own, o=other, s=scale)


def expectation(draft: Draft, at: At, style: int, own: str, other: str, scale: str, edge: str = "") -> str:
    """Return an expected score; `edge` is what the own side gets added, with its sign, such as `+$B$3` or ``."""
    lifted = f"({own}{edge})" if edge else own
    right = curve(style, lifted, other, scale)
    wrong = {
        "swapped": curve(style, other, lifted, scale),
        "scale_40": curve(style, lifted, other, "40"),
        "scale_4000": curve(style, lifted, other, "4000"),
        "scale_typed": curve(style, lifted, other, "200"),
        "times_100": f"100*({right})",
        "absolute": f"1/(1+10^(ABS({other}-{lifted})/{scale}))",
        "no_ln_10": f"1/(1+EXP(({other}-{lifted})/{scale}))",
        "base_2": f"1/(1+2^(({other}-{lifted})/{scale}))",
        "precedence": f"1/(1+10^({other}-{lifted}/{scale})/1000)"
        if not edge
        else f"1/1+10^(({other}-{lifted})/{scale})",
        "lost_one": f"1/(10^(({other}-{lifted})/{scale}))",
        "rounded": f"ROUND({right},1)",
        "even": "0.5",
    }
    if edge:
        plus = f"({other}{edge})"
        minus = edge.replace("+", "~").replace("-", "+").replace("~", "-")
        wrong |= {
            "edge_both": curve(style, lifted, plus, scale),
            "edge_opponent": curve(style, own, plus, scale),
            "edge_sign": curve(style, f"({own}{minus})", other, scale),
            "edge_dropped": curve(style, own, other, scale),
            "edge_twice": curve(style, f"({own}{edge}{edge})", other, scale),
        }
    return draft.pick(at, right, **wrong)


# --- results ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """How a log says who won: `cells` are what is typed, `styles` formulas for the first side's score.

    In a style `{a}` and `{b}` are the typed cells, `{p}` and `{q}` the two names, `{w}`, `{d}`, `{l}` what a win, a
    draw and a loss count. Styles after `plain` can only say 1, ½, 0.
    """

    name: str
    roles: tuple[str, ...]
    plain: tuple[str, ...]
    bound: tuple[str, ...] = ()

    @property
    def styles(self) -> int:
        return len(self.plain) + len(self.bound)

    def formula(self, style: int, a: str, b: str, p: str, q: str, points: tuple[str, str, str] | None = None) -> str:
        w, d, loss = points or ("1", "0.5", "0")
        forms = self.plain + self.bound if points is None else self.plain
        return forms[style % len(forms)].format(a=a, b=b, p=p, q=q, w=w, d=d, l=loss)


_GOALS = (
    "IF({a}>{b},{w},IF({a}={b},{d},{l}))",
    "IF({a}={b},{d},IF({a}>{b},{w},{l}))",
    "IF({a}<{b},{l},IF({a}>{b},{w},{d}))",
    "IF({a}-{b}>0,{w},IF({a}-{b}<0,{l},{d}))",
    "CHOOSE(2+SIGN({a}-{b}),{l},{d},{w})",
    "({a}>{b})*{w}+({a}={b})*{d}+({a}<{b})*{l}",
    "_xlfn.IFS({a}>{b},{w},{a}={b},{d},{a}<{b},{l})",
    "IF({b}<{a},{w},IF({b}>{a},{l},{d}))",
)
_GOALS_BOUND = (
    "(SIGN({a}-{b})+1)/2",
    "0.5+SIGN({a}-{b})/2",
    "({a}>{b})+({a}={b})/2",
    "(({a}>{b})+({a}>={b}))/2",
    "MEDIAN(0,1,0.5+({a}-{b})/2)",
    "MIN(1,MAX(0,0.5+({a}-{b})))",
)


def _from_text(extract: tuple[str, str], forms: tuple[str, ...]) -> tuple[str, ...]:
    mine, theirs = extract
    return tuple(form.replace("{a}", mine).replace("{b}", theirs) for form in forms)


_CUTS = (
    ('VALUE(LEFT({a},FIND(":",{a})-1))', 'VALUE(MID({a},FIND(":",{a})+1,9))'),
    ('(LEFT({a},FIND(":",{a})-1)*1)', '(RIGHT({a},LEN({a})-FIND(":",{a}))*1)'),
    ('(0+LEFT({a},SEARCH(":",{a})-1))', '(0+MID({a},SEARCH(":",{a})+1,LEN({a})))'),
)

RESULTS = {
    "points": Result(
        "points",
        ("result",),
        (
            "IF({a}=1,{w},IF({a}=0.5,{d},{l}))",
            "IF({a}=0,{l},IF({a}=1,{w},{d}))",
            "CHOOSE(1+2*{a},{l},{d},{w})",
            "IF({a}>0.5,{w},IF({a}<0.5,{l},{d}))",
        ),
        ("{a}", "1*{a}", "{a}+0", "N({a})", "1-(1-{a})", "MIN(1,MAX(0,{a}))"),
    ),
    "goals": Result("goals", ("goals 1", "goals 2"), _GOALS, _GOALS_BOUND),
    "letters": Result(
        "letters",
        ("result",),
        (
            'IF({a}="W",{w},IF({a}="D",{d},{l}))',
            'IF({a}="L",{l},IF({a}="W",{w},{d}))',
            'IF({a}="D",{d},IF({a}="W",{w},{l}))',
            'CHOOSE(MATCH({a},{{"W","D","L"}},0),{w},{d},{l})',
            '_xlfn.SWITCH({a},"W",{w},"D",{d},"L",{l})',
            '_xlfn.IFS({a}="W",{w},{a}="D",{d},{a}="L",{l})',
            '({a}="W")*{w}+({a}="D")*{d}+({a}="L")*{l}',
            'INDEX({{{w},{d},{l}}},MATCH({a},{{"W","D","L"}},0))',
            'LOOKUP({a},{{"D","L","W"}},{{{d},{l},{w}}})',
        ),
        ('(FIND({a},"LDW")-1)/2', '1-(FIND({a},"WDL")-1)/2', '({a}="W")+({a}="D")/2'),
    ),
    "score": Result(
        "score",
        ("result",),
        _from_text(_CUTS[0], _GOALS[:4]) + _from_text(_CUTS[1], _GOALS[3:6]) + _from_text(_CUTS[2], _GOALS[:2]),
        _from_text(_CUTS[0], _GOALS_BOUND[:2]) + _from_text(_CUTS[1], _GOALS_BOUND[2:4]),
    ),
    "chess": Result(
        "chess",
        ("result",),
        (
            'IF({a}="1-0",{w},IF({a}="0-1",{l},{d}))',
            'IF({a}="½-½",{d},IF({a}="1-0",{w},{l}))',
            'IF(LEFT({a},1)="1",{w},IF(LEFT({a},1)="0",{l},{d}))',
            'CHOOSE(MATCH({a},{{"1-0","½-½","0-1"}},0),{w},{d},{l})',
            '_xlfn.SWITCH({a},"1-0",{w},"0-1",{l},{d})',
            '({a}="1-0")*{w}+({a}="½-½")*{d}+({a}="0-1")*{l}',
            'IF(RIGHT({a},1)="0",{w},IF(RIGHT({a},1)="1",{l},{d}))',
            'IF(ISNUMBER(SEARCH("½",{a})),{d},IF(LEFT({a})="1",{w},{l}))',
        ),
        ('({a}="1-0")+({a}="½-½")/2', "IFERROR(VALUE(LEFT({a},1)),0.5)"),
    ),
    "winner": Result(
        "winner",
        ("result",),
        (
            "IF({a}={p},{w},IF({a}={q},{l},{d}))",
            "IF({a}={q},{l},IF({a}={p},{w},{d}))",
            "IF(AND({a}<>{p},{a}<>{q}),{d},IF({a}={p},{w},{l}))",
            "IF(OR({a}={p},{a}={q}),IF({a}={p},{w},{l}),{d})",
            "IF(EXACT({a},{p}),{w},IF(EXACT({a},{q}),{l},{d}))",
            "_xlfn.IFS({a}={p},{w},{a}={q},{l},TRUE,{d})",
            "_xlfn.SWITCH({a},{p},{w},{q},{l},{d})",
            "({a}={p})*{w}+({a}={q})*{l}+({a}<>{p})*({a}<>{q})*{d}",
        ),
        ("0.5+(({a}={p})-({a}={q}))/2", "(1+({a}={p})-({a}={q}))/2"),
    ),
}


def typed(result: str, goals: tuple[int, int], one: str, two: str, draw: str) -> tuple[object, ...]:
    """Return what stands in the result's cells for a game with these goals."""
    mine, theirs = goals
    level, won = mine == theirs, mine > theirs
    points = 0.5 if level else 1 if won else 0
    return {
        "points": (points,),
        "goals": (mine, theirs),
        "letters": ("D" if level else "W" if won else "L",),
        "score": (f"{mine}:{theirs}",),
        "chess": ("½-½" if level else "1-0" if won else "0-1",),
        "winner": (draw if level else one if won else two,),
    }[result]


def score(draft: Draft, at: At, result: Result, style: int, cells: tuple[str, ...], names: tuple[str, str]) -> str:
    a, b = (*cells, "")[:2]
    p, q = names

    def said(*points: str) -> str:
        return result.formula(style, a, b, p, q, (points[0], points[1], points[2]))

    wrong = {
        "draw_0": said("1", "0", "0"),
        "draw_1": said("1", "1", "0"),
        "draw_quarter": said("1", "0.25", "0"),
        "winner_0": said("0", "0.5", "1"),
        "win_2": said("2", "1", "0"),
        "loss_minus": said("1", "0", "-1"),
        "loss_half": said("1", "0.5", "0.5"),
    }
    if result.name == "goals":
        wrong |= {"home_only": f"IF({a}>1,1,IF({a}=1,0.5,0))", "exchanged": result.formula(style, b, a, p, q)}
    return draft.pick(at, result.formula(style, a, b, p, q), **wrong)


# --- the change, and the rating after -----------------------------------------------------------------------

CHANGES = ("{k}*({s}-{e})", "({s}-{e})*{k}", "{k}*{s}-{k}*{e}", "-{k}*({e}-{s})")


def change(draft: Draft, at: At, style: int, k: str, s: str, e: str, other_e: str = "", factor: str = "") -> str:
    """Return a change of rating; `factor` is what K is multiplied by, with its sign, such as `*J5`."""
    wide = f"{k}{factor}"
    right = CHANGES[style % len(CHANGES)].format(k=wide, s=s, e=e)
    wrong = {
        "plus": f"{wide}*({s}+{e})",
        "reversed": f"{wide}*({e}-{s})",
        "minus_half": f"{wide}*({s}-{e}-0.5)",
        "half_more": f"{wide}*(1.5*{s}-{e})",
        "no_expectation": f"{wide}*{s}",
        "no_score": f"{wide}*(1-{e})",
        "k_typed": f"50{factor}*({s}-{e})",
        "k_halved": f"{wide}/2*({s}-{e})",
        "k_dropped": f"({s}-{e})",
        "precedence": f"{wide}*{s}-{e}",
        "whole": f"ROUND({right},0)",
        "capped": f"MIN(5,{right})",
    }
    if other_e:
        wrong["other_expectation"] = f"{wide}*({s}-{other_e})"
    if factor:
        wrong["factor_dropped"] = f"{k}*({s}-{e})"
    return draft.pick(at, right, **wrong)


def after(draft: Draft, at: At, before: str, changed: str, other_before: str = "", other_change: str = "") -> str:
    wrong = {
        "minus": f"{before}-{changed}",
        "twice": f"{before}+2*{changed}",
        "unchanged": before,
        "floored": f"MAX({before},{before}+{changed})",
    }
    if other_before:
        wrong |= {"other_before": f"{other_before}+{changed}", "other_change": f"{before}+{other_change}"}
    return draft.pick(at, f"{before}+{changed}", **wrong)
