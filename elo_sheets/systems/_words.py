"""What each named step says, in a sentence: for the sheet Formulas and for the pages of the systems.

A name that means the same wherever it stands is explained once; `system:name` is for those that do not.
"""

from __future__ import annotations

import re

MEANINGS = {
    # What a step reads: the state before the game, and the facts of the game.
    "rating": "The rating before the game.",
    "rd": "The rating deviation before the game: the strength is within twice as many points in 95 of 100 cases.",
    "sigma": "The standard deviation of the skill before the game.",
    "volatility": "The volatility before the game: how erratic the results have been.",
    "index": "How many events were evaluated before, which holds the coefficient down while it is small.",
    "games": "The number of rated games before this one.",
    "peak": "The highest published rating before the game.",
    "born": "The year of birth, 0 where it is not known.",
    "season": "The number of the season; the rating is carried over when it grows.",
    "seasons": "1 where the game is the first of a new season.",
    "period": "The number of the rating period that the game falls into.",
    "event_back": "1 where the event comes back after another one: the book rates it as one more.",
    "same": "1 where the player's game before this one is of the same period.",
    "elapsed": "The rating periods since the one in which the player last played.",
    "last_date": "The latest day on which the player has played so far, this game included; 0 where none is known.",
    "last_season": "The latest season in which the player has played so far, this game's included.",
    "days": "The days since the player's last rated game.",
    "neutral": "1 where nobody plays at home.",
    "score": "1 for a win, 0.5 for a draw, 0 for a loss.",
    "event_name": "The event of the game, as typed.",
    "points": "The points or goals that this side made.",
    "weight": "The weight or kind of the game, as typed.",
    "handicap": "The handicap stones of the game.",
    "knockout": "1 for a match of a knockout phase, where nobody loses points.",
    "shootout": "1 where this side won the shoot-out, -1 where it lost one.",
    "opponent_mu": "The opponent's rating on the internal scale.",
    "opponent_phi": "The opponent's deviation on the internal scale.",
    # Elo and what is built on it.
    "cap": "The largest difference that counts.",
    "difference": "The own rating minus the opponent's as far as the rule counts it, with any advantage.",
    "advantage_used": "The points for playing at home: minus for the visitors, 0 on neutral ground.",
    "expected": "The score that the rule expects: the chance of a win plus half that of a draw.",
    "k_used": "K: the points that a result is worth.",
    "change": "What the game adds to the rating: the score minus the expected one, times what a point is worth.",
    "rating_after": "The rating after the game, or after the games so far of its period.",
    "games_after": "The number of rated games with this one.",
    "start_rating": "The rating with which the season begins: part of the old one, the rest from the mean.",
    "margin": "The own points or goals minus the opponent's.",
    "winner_edge": "The difference as the winner sees it: negative for an upset.",
    "multiplier": "The factor for the margin: a clear win moves more.",
    "k_with_goals": "K times the factor for the goals.",
    "result": "The score, with what the rule gives for a shoot-out.",
    # FIDE and those who use its table.
    "higher_expected": "The expected score of the higher rated player, from FIDE's table.",
    "delta": "The score minus the expected one: FIDE's ΔR.",
    "published_peak": "The highest published rating, this one included.",
    "age": "The age in the year of the game, 99 where the year of birth is not known.",
    "k": "K by rating, games and age, before the limit of K times the number of games.",
    "k_today": "K by today's rules.",
    "k_before_2014": "K by the rules before July 2014.",
    "peak_after": "The highest published rating after the period.",
    "rated": "1 where the rules of the game's day rate the game.",
    "limit": "The largest difference that counts by the rules of the game's day.",
    # Germany.
    "surplus": "The points scored in the event beyond the expected ones.",
    "base_k": "The coefficient before age and results are looked at.",
    "base_development": "The coefficient E before age and brake: it grows with the rating, and juniors move faster.",
    "acceleration": "The factor for juniors who score at least what is expected.",
    "brake": "What is added for players below 1300 who lose, so that they do not fall fast.",
    "brake_factor": "The factor that brakes a fall.",
    "success_bonus": "What is added for a result beyond the expected one.",
    "development_limit": "The most that E may be, by the number of events so far.",
    "development": "The coefficient E: the higher, the less a point is worth.",
    "index_after": "How many events are evaluated with this one.",
    "performance": "The performance of one game: the opponent's number, moved by the result.",
    "weight_used": "How many games the old number counts for, by age.",
    # England.
    "counted_opponent": "The opponent's grade, held within 40 of the own.",
    # Go.
    "con": "The factor of a result: the weaker, the larger.",
    "bonus": "What every game adds, so that ratings do not sink.",
    "advantage": "The rating points that the handicap stones are worth.",
    "own_beta": "The own rating on the scale of the expectancy, with the handicap.",
    "opposing_beta": "The opponent's rating on the scale of the expectancy, with the handicap.",
    "change_held": "The changes of the period together, at least -100.",
    # FIFA.
    "importance_used": "The importance I of the match.",
    "gain": "The importance times the result beyond the expected one.",
    # Glicko and its relatives.
    "start_rd": "The deviation when the period begins: it grows with the time without games.",
    "g": "How much the opponent's uncertainty dampens a result.",
    "information": "How much the game tells: most between equals.",
    "surprise": "The score minus the expected one, dampened by the opponent's uncertainty.",
    "d2": "d²: the variance that the period's games alone would leave, on the scale of ratings.",
    "new_variance": "The variance after the period, from the old one and that of the games.",
    "rd_after": "The deviation after the game, or after the games so far of its period.",
    "joint_rd": "Both players' deviations together.",
    "joint_g": "How much both players' uncertainty dampens a forecast.",
    "joint_phi": "Both players' deviations together, on the internal scale.",
    "forecast": "The score to expect with both players' uncertainty: what the standings of a forecast use.",
    "mu": "The rating on the internal scale.",
    "phi": "The deviation on the internal scale.",
    "v": "The variance that the period's games alone would leave.",
    "log_variance": "The logarithm of the old volatility's square, where the search for the new one begins.",
    "a": "One end of the interval that holds the new volatility, as the logarithm of its square.",
    "b": "The other end of that interval.",
    "c": "The next point to try.",
    "f_a": "The function whose zero is the new volatility, at a.",
    "f_b": "The same function at b.",
    "f_c": "The same function at c.",
    "done": "Whether the interval is small enough, so that nothing moves any more.",
    "residual": "How wide the interval still is: above the convergence, the rounds did not suffice.",
    "volatility_after": "The volatility after the period.",
    "phi_star": "The deviation with the new volatility, before the games count.",
    "phi_after": "The deviation after the period, on the internal scale.",
    "lead": "The difference of the ratings on the internal scale, with the first move.",
    "gain_factor": "The factor of the server's regulator for gains, by speed.",
    "regulated_change": "The change after the regulator.",
    "limited_change": "The change, held to the most that one game may move.",
    # TrueSkill.
    "start_sigma": "The standard deviation with what a game adds to the uncertainty.",
    "draw_margin": "How close two performances are in a draw, by the share of draws.",
    "trueskill:c": "The standard deviation of the difference of both performances.",
    "t": "The difference of the skills in units of c.",
    "e": "The draw margin in units of c.",
    "win_lead": "By how much the winner was expected to be ahead beyond a draw.",
    "tail_v": "v of a win that was all but impossible, by its asymptotic series.",
    "win_v": "v of a win: how far the winner's skill moves.",
    "win_w": "w of a win: how much the uncertainty shrinks.",
    "distance": "The difference of the skills, without its sign.",
    "draw_chance": "The chance of a draw.",
    "near_density": "The normal density at the near end of the draw margin.",
    "far_density": "The normal density at the far end of the draw margin.",
    "draw_v": "v of a draw: how far the better player's skill moves.",
    "draw_edges": "The densities at both ends, each times its place.",
    "draw_w": "w of a draw: how much the uncertainty shrinks.",
    "trueskill:v": "How far the game moves the skill, by its result.",
    "w": "How much the game lessens the uncertainty, by its result.",
    "shift": "The points that the game alone moves the skill.",
    "share": "The share of the variance that the game takes away.",
    "evidence": "What the game adds to the precision, in units of the old one.",
    "weighted_shift": "The shift, weighted by that evidence.",
    "sigma_after": "The standard deviation after the game.",
    "period_games": "The rated games of the player in the period, up to this one.",
}
_ROUND = re.compile(r"_(\d+)$")


def meaning(system: str, name: str) -> str:
    """Return the sentence of a step, "" where there is none: a rule of somebody's own.

    >>> meaning("fide", "period_delta")
    "Summed over the period, up to this game. The score minus the expected one: FIDE's ΔR."
    """
    text = MEANINGS.get(f"{system}:{name}") or MEANINGS.get(name, "")
    if text:
        return text
    if name.startswith("period_"):
        summed = meaning(system, name.removeprefix("period_"))
        return f"Summed over the period, up to this game. {summed}" if summed else ""
    numbered = _ROUND.search(name)
    searched = meaning(system, name[: numbered.start()]) if numbered else ""
    return f"{searched} Round {numbered[1]}." if numbered and searched else ""
