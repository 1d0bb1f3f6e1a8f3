// The calculators as functions of plain values. The rules are the printed steps; what is no formula is here.
const fail = text => { throw new Error(text); };
const add = (a, b) => a + b;
const sum = values => values.reduce(add, 0);
const run = (codes, v) => { for (const code of codes) CODES[code](v); return v; };
const serial = day => Math.round(Date.parse(day + "T00:00:00Z") / 86400000) + 25569;
const today = () => { const d = new Date(); return new Date(d - d.getTimezoneOffset() * 60000).toISOString().slice(0, 10); };
const number = (value, what, least = -20000, most = 20000) => {
  const text = String(value === undefined || value === null ? "" : value).trim();
  if (/^[-−]?\d{1,3},\d{3}$/.test(text)) fail(`Write the ${what} without a comma between its thousands.`);
  const found = text === "" ? NaN : Number(text.replace("−", "-").replace(",", "."));
  if (!isFinite(found)) fail(`The ${what} should be a number` + (text ? `, not “${text}”.` : "."));
  if (found < least || found > most) fail(`The ${what} should be from ${least} to ${most}.`);
  return found;
};

// --- systems

function formOf(name, settings) {
  const system = SYSTEMS[name];
  const key = Object.entries(system.choices).map(([one, values]) => {
    const value = settings[one];
    return typeof values[0] === "number" ? Number(Boolean(Number(value || 0))) : value;
  }).join("|");
  return system.forms[key] || fail(`System ${name} has no form ${key}.`);
}
const defaults = name => Object.fromEntries(Object.entries(SYSTEMS[name].settings).map(([one, s]) => [one, s[2]]));

// One player's rating period: the columns of each game, and those of its close.
function ratePeriod(form, settings, own, given) {
  const start = { elapsed: 1, date: 0, year: 0, days: 0, seasons: 0, ...settings, ...own };
  const base = run(form.open, { ...start });
  const games = given.map(game => {
    const v = { ...base, neutral: 0, weight: 0, handicap: 0, komi: 7.5, knockout: 0, shootout: 0, ...game };
    if (form.open.length) {
      const other = { ...start };
      for (const name in game) if (name.startsWith("opponent_")) other[name.slice(9)] = game[name];
      run(form.open, other);
      for (const name of form.opened) v["opponent_" + name] = other[name];
    }
    return run(form.game, v);
  });
  const end = { ...base, period_games: games.length };
  for (const name of form.sums) end["period_" + name] = games.map(g => g[name]).reduce(add);
  return { games, end: run(form.close, end) };
}

// One game under a system, from both sides: the states of A and of B are objects, the game as A sees it.
function rateGame(name, settings, a, b, game) {
  const all = { ...defaults(name), ...settings };
  const form = formOf(name, all);
  const side = (own, other, seen) => {
    const against = Object.fromEntries(Object.entries(other).map(([one, value]) => ["opponent_" + one, value]));
    const found = ratePeriod(form, all, { ...own, date: game.date || 0, year: game.year || 0,
      elapsed: game.elapsed === undefined ? 1 : game.elapsed, days: game.days || 0, seasons: game.seasons || 0 },
      [{ widest: 1, ...seen, ...against }]);
    return { after: Object.fromEntries(form.states.map(state => [state, found.end[state + "_after"]])),
      expected: found.games[0][form.expects], game: found.games[0], end: found.end };
  };
  const points = [game.points || 0, game.opponent_points || 0];
  const seen = { ...game, side: game.side === undefined ? 1 : game.side, points: points[0], opponent_points: points[1] };
  const turned = { ...seen, score: 1 - game.score, side: -seen.side, points: points[1], opponent_points: points[0],
    shootout: -(game.shootout || 0) };
  return { a: side(a, b, seen), b: side(b, a, turned) };
}

// --- one game by the rules of the calculator pages

function calc({ a, b, k = 20, k_b, games = 1, rule = "none", as_of = today() }) {
  const [given, program] = CALC[rule] || fail(`There is no rule ${rule}.`);
  const v = program({ ...given, date: serial(as_of), period_games: games, "rating a": a, "rating b": b,
    "k a": k, "k b": k_b === undefined ? k : k_b });
  const outcomes = Object.fromEntries(["win", "draw", "loss"].map(result => [result, Object.fromEntries(["a", "b"].map(
    side => [side, { change: v[`change ${side} ${result}`], new: v[`new ${side} ${result}`] }]))]));
  const both = name => ({ a: v[name + " a"], b: v[name + " b"] });
  return { difference: a - b, counted: both("difference"), k: both("k_used"), expected: both("expected"), outcomes };
}

// --- performance

const solved = (low, high, target, total) => {
  for (let i = 0; i < CONSTANTS.halvings; i++) {
    const middle = (low + high) / 2;
    if (total(middle) < target) low = middle; else high = middle;
  }
  return (low + high) / 2;
};
function exactPerformance(opponents, score, curve = "logistic", scale = 400) {
  if (!(score > 0 && score < opponents.length)) return null;
  return solved(Math.min(...opponents) - CONSTANTS.far, Math.max(...opponents) + CONSTANTS.far, score,
    rating => sum(opponents.map(one => F["expected_" + curve](rating - one, scale))));
}
function performances(opponents, scores, curve) {
  const games = scores.length, average = sum(opponents) / games;
  const count = points => scores.filter(one => one === points).length;
  return {
    linear: F.linear_performance(average, count(1), count(0), games),
    table: F.table_performance(average, sum(scores), games),
    exact: exactPerformance(opponents, sum(scores), curve),
  };
}

// --- an event

function event({ rating, opponents, scores, system = "elo", settings = {}, k, as_of = today(), born, age,
  games_before, events_before }) {
  if (!opponents.length) fail("Give at least one opponent.");
  if (opponents.length !== scores.length)
    fail(`Give one result for each opponent: there are ${opponents.length} opponents and ${scores.length} results.`);
  const year = Number(as_of.slice(0, 4));
  if (born === undefined && age !== undefined) born = year - age;
  const average = sum(opponents) / opponents.length;
  if (system === "uschess")
    return { ...uschess(rating, opponents, scores, games_before, as_of), average_opponent: average,
      performance: performances(opponents, scores) };
  const all = { ...defaults(system), ...(system === "fide" ? { rules: "dated" } : {}), ...settings };
  if (born !== undefined) all.born = born;
  let form = formOf(system, all);
  if (k !== undefined && system === "elo") all.k = k;
  if (k !== undefined && system === "fide") { form = FIDE_GIVEN_K[all.kind]; all.k_given = k; }
  const starts = { ...SYSTEMS[system].starts };
  if (games_before !== undefined) starts.initial_games = games_before;
  if (events_before !== undefined) starts.initial_index = events_before;
  const own = Object.fromEntries(SYSTEMS[system].states.map(([state, , initial]) => [state, starts[initial]]));
  const gaps = opponents.map(one => Math.abs(rating - one)), widest = gaps.indexOf(Math.max(...gaps));
  const found = ratePeriod(form, all, { ...own, rating, date: serial(as_of), year }, opponents.map((one, i) => (
    { opponent_rating: one, score: scores[i], widest: Number(i === widest), neutral: 1 })));
  const end = found.end;
  const used = end.k_used === undefined ? found.games[0].k_used : end.k_used;
  const games = found.games.map(g => ({ opponent: g.opponent_rating, score: g.score, expected: g.expected,
    change: g.delta !== undefined ? F.gained(used, g.delta)
      : g.change !== undefined ? g.change : F.change_of(used, g.score, g.expected) }));
  const change = system === "elo" ? end.period_change : system === "fide" ? F.gained(used, end.period_delta) : end.change;
  const performance = performances(opponents, scores, system === "elo" ? all.curve : "logistic");
  if (system === "dwz") performance.federation = dwzPerformance(opponents, sum(scores), all, performance.exact);
  if (system === "fide") performance.federation = performance.table;
  return { games, score: sum(scores), expected: sum(found.games.map(g => g.expected)), k: used, change,
    rounded_change: system === "fide" ? end.change : round(change, 0), new: end.rating_after, average_opponent: average,
    performance, details: Object.fromEntries(CONSTANTS.details.filter(n => end[n] !== undefined).map(n => [n, end[n]])) };
}
function dwzPerformance(opponents, score, settings, exact) {
  if (settings.expectancy !== "normal") return exact === null ? null : round(exact, 0);
  if (!(score > 0 && score < opponents.length)) return null;
  const deviation = settings.spread * Math.SQRT2;
  const found = solved(Math.min(...opponents) - 8000, Math.max(...opponents) + 8000, score,
    rating => sum(opponents.map(one => normal((rating - one) / deviation))));
  return round(round(found, CONSTANTS.dwz_digits), 0);
}

// --- the odds of a match

const power = (p, n) => n > 0 ? Math.pow(p, n) : 1;
const product = (ways, p, won, lost) => ways * power(p, won) * power(1 - p, lost);
const exactWins = (wins, games, p) => product(chosen(games, wins), p, wins, games - wins);
function ruin(p, lead, margin) {
  if (lead === 0) return power(p, margin) / (power(p, margin) + power(1 - p, margin));
  if (Math.abs(lead) >= margin) return Number(lead > 0);
  const last = 2 * margin - 1, terms = [];
  for (let lost = 0; lost <= last; lost++) terms.push(product(1, p, last - lost, lost));
  return sum(terms.slice(0, margin + lead)) / sum(terms);
}
function firstTo(p, target, margin, [own, other] = [0, 0]) {
  target = Math.max(target, margin);
  const over = (Math.max(own, other) > target && Math.abs(own - other) > margin) || (margin === 1 && own + other >= 2 * target);
  if (own % 1 || other % 1 || Math.min(own, other) < 0 || over) fail(`A match of first to ${target} cannot stand ${own}-${other}.`);
  const needed = target - own, left = 2 * target - margin - own - other, lead = own - other;
  if (left < 0 || (needed <= 0 && lead >= margin) || (other >= target && -lead >= margin)) return ruin(p, lead, margin);
  let total = 0;
  for (let won = needed; won <= left; won++) total += exactWins(won, left, p);
  for (let behind = 1; behind < margin; behind++)
    if (needed - behind >= 0 && needed - behind <= left)
      total += exactWins(needed - behind, left, p) * ruin(p, margin - 2 * behind, margin);
  return total;
}
function series(turns, left, lead) {
  let chances = [1];
  for (let i = 0; i < left; i++) {
    const [w, d, l] = turns[i % turns.length], padded = [0, 0, ...chances, 0, 0];
    chances = Array.from({ length: chances.length + 2 }, (_, j) =>
      F.lead_chance(padded[j], padded[j + 1], padded[j + 2], w, d, l));
  }
  const level = left - lead, at = level >= 0 && level < chances.length ? chances[level] : 0;
  return [sum(chances.slice(Math.max(level + 1, 0))), at, sum(chances.slice(0, Math.max(level, 0)))];
}
const whole = (n, what) => Number.isInteger(n) && n >= 1 && n <= CONSTANTS.most_games ? n
  : fail(`The ${what} should be a whole number from 1 to ${CONSTANTS.most_games}.`);
function labelle(a, b, side, first = CONSTANTS.first_move_pawns) {
  if (side === null) {
    const one = labelle(a, b, 1, first), other = labelle(a, b, -1, first);
    return one.map((x, i) => (x + other[i]) / 2);
  }
  const v = LABELLE({ rating: a, opponent_rating: b, draw_pawns: CONSTANTS.draw_pawns, first_move_pawns: first, side });
  return [v.win, v.draw, v.loss];
}
const differenceFor = (share, curve, scale) => share > 0 && share < 1 ? F["difference_" + curve](share, scale) : null;
function match({ a, b, expected, curve, scale = 400, draws = "none", first, best_of, first_to, win_by, games, score,
  go, tennis = false }) {
  const given = curve || (draws === "labelle" ? "normal" : "logistic");
  const race = first_to !== undefined ? first_to : win_by;
  if ([best_of, race, games].filter(n => n !== undefined).length > 1) fail("Give one format of the match.");
  if (best_of === undefined && tennis) best_of = 3;
  const winners = best_of !== undefined || race !== undefined;
  if (winners && draws !== "none" && draws !== 0) fail("In best of, first to and win by each game has a winner: leave out the draws.");
  let share, gap;
  if (expected !== undefined) { share = expected; gap = differenceFor(share, given, scale); }
  else if (go === "egf") { share = F.expected_logistic(F.egf_difference(a, b), 400); gap = differenceFor(share, given, scale); }
  else if (go === "aga") {
    for (const one of [a, b]) if (Math.abs(one) < 1) fail("A rating of the AGA is 1 or more (dan), or -1 or less (kyu).");
    share = normal((F.closed_rating(a) - F.closed_rating(b)) / CONSTANTS.aga_sigma); gap = differenceFor(share, given, scale);
  } else { share = F["expected_" + given](a - b, scale); gap = a - b; }
  const one = !winners && (games === undefined || games === 1);
  const p = tennis ? TENNIS({ match_win: share }).set_win : share;
  let turns;
  if (draws === "none") turns = [[p, 0, 1 - p]];
  else if (draws !== "labelle") turns = [["win", "draw", "loss"].map(n => F[n + "_with_draws"](p, draws))];
  else if (first) {
    const order = first === "a" ? [1, -1] : [-1, 1];
    turns = (one ? order.slice(0, 1) : order).map(side => labelle(a, b, side));
  } else turns = [one ? labelle(a, b, 1, 0) : labelle(a, b, null)];
  const at = score || [0, 0], back = [at[1], at[0]];
  let odds;
  if (best_of !== undefined) {
    if (whole(best_of, "best of") % 2 === 0) fail("Best of takes an odd number: an even one can end level.");
    odds = [firstTo(turns[0][0], (best_of + 1) / 2, 1, at), 0, firstTo(turns[0][2], (best_of + 1) / 2, 1, back)];
  } else if (first_to !== undefined) {
    whole(first_to, "first to");
    const margin = win_by === undefined ? 1 : whole(win_by, "win by");
    odds = [firstTo(turns[0][0], first_to, margin, at), 0, firstTo(turns[0][2], first_to, margin, back)];
  } else if (win_by !== undefined) {
    if (Math.min(...at) < 0 || at.some(n => n % 1) || Math.abs(at[0] - at[1]) > whole(win_by, "win by"))
      fail(`A score of such a match is at most ${win_by} apart.`);
    odds = [ruin(turns[0][0], at[0] - at[1], win_by), 0, ruin(turns[0][2], at[1] - at[0], win_by)];
  } else {
    const left = whole(games === undefined ? 1 : games, "number of games") - at[0] - at[1];
    if (left < 0 || left % 1 || Math.min(...at) < 0 || (2 * at[0]) % 1) fail("The score should be of at most so many games.");
    odds = series(turns, left, at[0] - at[1]);
  }
  const scored = o => o[0] + o[1] / 2;
  const chess = a !== undefined && !go && !tennis && scale === 400;
  const pawn = chess ? F.elo_per_pawn(F.mean_rating(a, b)) : null;
  const mean = go ? F.mean_rating(a, b) : 0;
  const around = { egf: () => differenceFor(F.expected_logistic(F.egf_difference(mean + 50, mean - 50), 400), given, scale),
    aga: () => differenceFor(normal(1 / CONSTANTS.aga_sigma), given, scale) };
  return { win: odds[0], draw: odds[1], loss: odds[2], game: turns[0], curve: given,
    expected: tennis ? share : scored(turns[0]), difference: gap,
    game_difference: differenceFor(scored(turns[0]), given, scale), match_difference: differenceFor(scored(odds), given, scale),
    ratio: best_of !== undefined ? best_of * exactWins((best_of - 1) / 2, best_of - 1, 0.5)
      : win_by !== undefined && first_to === undefined ? win_by : null,
    elo_per_pawn: pawn, pawns: pawn === null || gap === null ? null : gap / pawn,
    draw_shift: pawn !== null && draws === "labelle" ? F.draw_shift(CONSTANTS.draw_pawns, pawn) : null,
    elo_per_rank: go ? around[go]() : null,
    elo_per_rank_before_2021: go === "egf" && mean < 4100 ? F.egf_points_before_2021(mean) : null };
}
// A rank of the EGF as a rating; what is none is read as a number.
function ranked(text) {
  const found = /^\s*([1-9]\d?)\s*([kdp])\s*$/i.exec(String(text));
  if (!found) return number(text, "rating");
  const [start, step, last] = { k: [2000, -100, 30], d: [2100, 100, 7], p: [2700, 30, 9] }[found[2].toLowerCase()];
  if (Number(found[1]) > last) fail(`Ranks run from 30k to 1k, from 1d to 7d and from 1p to 9p, not ${text}.`);
  return start + step * (Number(found[1]) - 1);
}

// --- a goal

function chanceOfScore(expected, score, draws) {
  if (score <= 0) return 1;
  const turns = expected.map(e => ["win", "draw", "loss"].map(n => F[n + "_with_draws"](e, draws)));
  const found = series(turns, turns.length, turns.length - Math.round(2 * score));
  return found[0] + found[1];
}
function goal({ rating, target, opponents, k = 20, curve = "logistic", draws = 0, norm }) {
  if (!opponents.length) fail("Give the opponents, or a number of games and their average.");
  if (k <= 0) fail("K should be above 0: no game would move the rating.");
  const games = opponents.length, average = sum(opponents) / games;
  const expected = opponents.map(o => F["expected_" + curve](rating - o, 400));
  const found = { expected: expected.reduce(add), games, average_opponent: average };
  if (norm) {
    const [performance, least] = CONSTANTS.norms[norm];
    const scores = Array.from({ length: 2 * games + 1 }, (_, i) => i / 2);
    const needed = scores.find(s => F.table_performance(average, s, games) >= performance);
    const enough = round(average, 0) >= least, long = games >= CONSTANTS.norm_games;
    found.norm = { title: norm, performance, score_needed: needed === undefined ? null : needed,
      chance: needed === undefined ? 0 : chanceOfScore(expected, needed, draws), average_enough: enough,
      games_enough: long, possible: needed !== undefined && enough && long };
  }
  if (target !== undefined) {
    found.score_needed = F.score_needed(rating, target, found.expected, k);
    found.half_points_needed = F.half_points_needed(found.score_needed);
    found.possible = F.goal_possible(found.half_points_needed, games);
    found.chance = chanceOfScore(expected, found.half_points_needed, draws);
    found.performance_needed = exactPerformance(opponents, found.score_needed, curve);
    found.games_needed = CONSTANTS.shares.map(share => {
      const gain = F.change_of(k, share, found.expected / games), points = target - rating;
      const ceil = -Math.floor(-(points / gain - 1e-9));
      return { share, games: points <= 0 ? 0 : gain > 0 ? ceil : null };
    });
  }
  return found;
}

// --- which K

function kFactors({ rating, games, peak = 0, born = 0, kind = "standard", period_games = 1, as_of = today() }) {
  const all = { ...defaults("fide"), kind, born }, form = formOf("fide", all);
  const end = ratePeriod(form, all, { rating, games, peak, date: serial(as_of), year: Number(as_of.slice(0, 4)) },
    Array.from({ length: period_games }, () => ({ opponent_rating: rating, score: 0.5, widest: 1 }))).end;
  const effective = US.effective_games(games, US.full_games(rating));
  return { fide: end.k, fide_used: end.k_used, age: end.age, effective_games: effective,
    uschess: games <= CONSTANTS.special_games ? null : US.k_used(US.base_k(effective, period_games), US.dual_factor(rating)) };
}

// --- what is typed

const RESULTS = { "1": 1, "w": 1, "win": 1, "won": 1, "+": 1, "1-0": 1, "0": 0, "l": 0, "loss": 0, "lost": 0, "-": 0, "0-1": 0,
  "½": 0.5, "0.5": 0.5, "0,5": 0.5, ".5": 0.5, "1/2": 0.5, "=": 0.5, "d": 0.5, "draw": 0.5, "drawn": 0.5, "½-½": 0.5,
  "1/2-1/2": 0.5, "0.5-0.5": 0.5 };
const resultOf = text => RESULTS[String(text).trim().toLowerCase().replace(/[−–]/g, "-").replace(/\s*([-:])\s*/g, "-")];
// A line of the box is a game: the opponent's rating and the result, in either order, and a name anywhere.
function parseGames(text) {
  const opponents = [], scores = [], names = [], rejected = [];
  text.split(/\r?\n/).forEach((line, at) => {
    if (!line.trim()) return;
    const reason = gameOf(line, opponents, scores, names);
    if (reason) rejected.push({ line: at + 1, text: line.trim(), reason });
  });
  return { opponents, scores, names, rejected };
}
function gameOf(line, opponents, scores, names) {
  const plain = line.replace(/(^|[\s;,])0,5(?=$|[\s;])/g, "$10.5").replace(/(\d|½)\s*[-–−:]\s*(\d|½)/g, "$1-$2");
  const cells = plain.split(/[\s;,]+/).filter(Boolean);
  const numbers = [/^\d{3,4}([.]\d+)?$/, /^-?\d{2,4}([.]\d+)?$/].map(form => cells.flatMap((c, i) => form.test(c) ? [i] : []));
  const found = numbers[0].length ? numbers[0] : numbers[1];
  if (!found.length) return "no rating of two to four digits";
  if (found.length > 1) return "several numbers could be the rating";
  const rest = cells.filter((_, i) => i !== found[0]);
  const at = resultOf(rest[rest.length - 1]) !== undefined ? rest.length - 1 : resultOf(rest[0]) !== undefined ? 0 : -1;
  if (at < 0) return "no result such as 1, ½, 0, W, D or L at either end";
  const name = rest.filter((_, i) => i !== at);
  if (name.some(c => /^[\d½]/.test(c) && resultOf(c) !== undefined)) return "several results";
  opponents.push(Number(cells[found[0]])); scores.push(resultOf(rest[at]));
  names.push(name.join(" "));
  return "";
}
