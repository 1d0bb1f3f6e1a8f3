// What is rated as a whole: an event of one player by US Chess's rule, and events whose players are rated together.

// --- US Chess: the standard formula with its bonus, or the special formula of a player with few games

const entrant = given => Object.assign({ games: US_SETTINGS.initial_games, one_sided: US_SETTINGS.initial_one_sided,
  absolute_floor: US_SETTINGS.initial_absolute_floor, peak: US_SETTINGS.initial_peak, assigned_floor: US_SETTINGS.assigned_floor }, given);
function bonusFactor(as_of) {
  const dated = { ...US_SETTINGS, date: serial(as_of) };
  dated.earlier_bonus_factor = US.earlier_bonus_factor(...US_BONUS[0].map(n => dated[n]));
  return US.bonus_factor(...US_BONUS[1].map(n => dated[n]));
}
function specialRating(rating, effective, opponents, score, oneSided = 0) {
  const before = US.prior_opponent(rating, oneSided), target = score + US.prior_score(effective, oneSided);
  const excess = at => {
    const found = effective * US.linear_expected(at, before) + sum(opponents.map(o => US.linear_expected(at, o))) - target;
    return Math.abs(found) < CONSTANTS.exact ? 0 : found;
  };
  const knots = [...new Set([before, ...opponents].flatMap(o => [o - 400, o + 400]))].sort((x, y) => x - y);
  const heights = knots.map(excess), n = knots.length;
  const at = test => { const i = heights.findIndex(test); return i < 0 ? n : i; };
  const low = at(h => h >= 0), high = at(h => h > 0);
  let first, last;
  if (low === high && low > 0 && low < n)
    first = last = knots[low] - heights[low] * (knots[low] - knots[low - 1]) / (heights[low] - heights[low - 1]);
  else { first = low > 0 ? knots[low] : -Infinity; last = high < n ? knots[high - 1] : Infinity; }
  return Math.min(Math.max(first, Math.min(last, rating)), CONSTANTS.special_ceiling);
}
// One player against given ratings of the opponents; `mostOften` is how often he met the one whom he met most.
function usPass(player, opponents, scores, mostOften, factor, dual = "no", match = false) {
  const rating = player.rating, count = scores.length, score = sum(scores);
  const effective = US.effective_games(player.games, US.full_games(rating));
  const each = opponents.map(one => US.expected(rating, one)), expected = sum(each);
  const found = { effective, each, expected, score, k: null, bonus: null };
  if (player.games <= CONSTANTS.special_games || player.one_sided !== 0)
    found.rating = specialRating(rating, effective, opponents, score, player.one_sided);
  else {
    found.k = US.k_used(US.base_k(effective, count), US.dual_factor(rating, dual));
    const gain = US.gain(found.k, score, expected);
    found.bonus = US.bonus(gain, factor, count, match ? 0 : US.bonus_allowed(count, mostOften));
    found.rating = US.standard_rating(rating, gain, found.bonus);
  }
  if (match) found.rating = Math.min(Math.max(found.rating, rating - CONSTANTS.match.limit), rating + CONSTANTS.match.limit);
  found.rating = Math.max(CONSTANTS.lowest, found.rating);
  return found;
}
// A player after the last pass, with the floors applied; without a game he stays as he was.
function usClosed(player, scores, pass) {
  if (!scores.length) return { ...player, trial: player.rating, first_pass: player.rating };
  const count = scores.length, [lost, drawn, won] = [0, 0.5, 1].map(points => scores.filter(one => one === points).length);
  const absolute = US.absolute_floor_after(player.absolute_floor, won, drawn, Number(count >= CONSTANTS.full_event));
  const peak = US.peak_after(player.peak, player.games, player.rating);
  const floor = US.floor_used(absolute, US.established_floor(US.hundreds_below(peak)), player.assigned_floor);
  const rating = Math.max(pass.rating, floor), games = US.games_after(player.games, count);
  return { rating, games, absolute_floor: absolute, peak: US.peak_after(peak, games, rating), floor_used: floor,
    one_sided: US.one_sided_after(US.all_won(player.one_sided, player.games, count, won), US.all_lost(player.one_sided, player.games, count, lost)),
    effective_games: pass.effective, k_used: pass.k, period_score: pass.score, period_expected: pass.expected, bonus: pass.bonus };
}
function uschess(rating, opponents, scores, games_before, as_of) {
  const games = games_before === undefined ? CONSTANTS.us_settled.initial_games : games_before;
  const player = entrant({ rating, games }), factor = bonusFactor(as_of);
  const pass = usPass(player, opponents, scores, 1, factor), after = usClosed(player, scores, pass);
  const special = pass.k === null, change = after.rating - rating;
  return { games: opponents.map((one, i) => ({ opponent: one, score: scores[i], expected: pass.each[i],
    change: special ? null : F.change_of(pass.k, scores[i], pass.each[i]) })), score: pass.score, expected: pass.expected, k: pass.k,
    change, rounded_change: round(change, 0), new: after.rating, factor,
    details: { effective_games: pass.effective, floor: after.floor_used, ...(special ? {} : { bonus: pass.bonus }) } };
}
// Whether a match of two players is rated.
function matchCounts(players) {
  if (players.length !== 2) fail("A match has two players.");
  const [one, other] = players.map(entrant);
  return Math.min(one.games, other.games) > CONSTANTS.match.games && Math.abs(one.rating - other.rating) <= CONSTANTS.match.gap;
}
// A section: a game is [number of one player from 0, number of the other, score of the first]; a match is one of two players.
function rateSection(given, games, factor, dual = "no", match = false) {
  if (match && !matchCounts(given)) games = [];
  const players = given.map(entrant), results = players.map(() => ({ opponents: [], scores: [] }));
  for (const [one, other, score] of games) {
    results[one].opponents.push(other); results[one].scores.push(score);
    results[other].opponents.push(one); results[other].scores.push(1 - score);
  }
  const often = ({ opponents }) => Math.max(0, ...opponents.map(o => opponents.filter(p => p === o).length));
  const passes = ratings => players.map((player, i) => usPass(player, results[i].opponents.map(o => ratings[o]),
    results[i].scores, often(results[i]), factor, dual, match));
  const trials = players.map(({ rating, games: before }, i) => before > 0 || !results[i].scores.length ? rating
    : Math.max(CONSTANTS.lowest, specialRating(rating, 1, results[i].opponents.map(o => players[o].rating), sum(results[i].scores))));
  const firsts = passes(trials).map((pass, i) => results[i].scores.length ? pass.rating : players[i].rating);
  return passes(firsts).map((pass, i) => ({ trial: trials[i], first_pass: firsts[i], ...usClosed(players[i], results[i].scores, pass) }));
}

// --- AGA: the most likely ratings of all players of an event together

function newSigma(rating) {
  const [[knots, heights, bends], [weakest, strongest]] = [CONSTANTS.aga.knots, CONSTANTS.aga.scale];
  const at = AGA.closed_rating(Math.min(Math.max(rating, weakest), strongest));
  const piece = Math.min(Math.max(knots.filter(knot => knot <= at).length - 1, 0), knots.length - 2);
  return AGA.new_sigma(rating, AGA.on_piece(at - knots[piece], knots[piece + 1] - knots[piece], heights[piece], heights[piece + 1],
    bends[piece], bends[piece + 1]));
}
// The logarithm of the normal distribution and its derivative, exact far out on the left too.
function logNormal(x) {
  const [tail, levels] = CONSTANTS.aga.tail;
  if (x >= -tail) return [Math.log(normal(x)), density(x) / normal(x)];
  let far = -x;
  for (let level = levels; level > 0; level--) far = -x + level / far;
  return [-x * x / 2 - Math.log(far * Math.sqrt(2 * Math.PI)), far];
}
// What solves linear equations: elimination with the largest pivot.
function solve(matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]]), n = rows.length;
  for (let at = 0; at < n; at++) {
    let best = at;
    for (let i = at + 1; i < n; i++) if (Math.abs(rows[i][at]) > Math.abs(rows[best][at])) best = i;
    [rows[at], rows[best]] = [rows[best], rows[at]];
    for (let i = at + 1; i < n; i++) {
      const share = rows[i][at] / rows[at][at];
      if (share) for (let j = at; j <= n; j++) rows[i][j] -= share * rows[at][j];
    }
  }
  const found = Array(n).fill(0);
  for (let i = n - 1; i >= 0; i--) found[i] = (rows[i][n] - sum(found.map((x, j) => j > i ? rows[i][j] * x : 0))) / rows[i][i];
  return found;
}
const surplusAt = (trial, winner, loser) => AGA.surplus(AGA.difference(winner, loser), trial.needed, trial.spread);
// The height of the logarithm of the likelihood, its gradient and its curvature.
function likelihood(at, starts, sigmas, trials) {
  const precision = sigmas.map(s => 1 / (s * s));
  let height = sum(at.map((x, i) => -precision[i] * square(x - starts[i]) / 2));
  const gradient = at.map((x, i) => precision[i] * (starts[i] - x));
  const curvature = at.map((_, i) => at.map((__, j) => i === j ? precision[i] : 0));
  for (const { winner: w, loser: l, weight, spread, ...trial } of trials) {
    const ahead = surplusAt({ spread, ...trial }, at[w], at[l]), [log, hazard] = logNormal(ahead);
    const slope = weight * hazard / spread, curve = weight * hazard * (hazard + ahead) / square(spread);
    height += weight * log;
    gradient[w] += slope; gradient[l] -= slope;
    curvature[w][w] += curve; curvature[l][l] += curve; curvature[w][l] -= curve; curvature[l][w] -= curve;
  }
  return { height, gradient, curvature };
}
function sigmaAfter(player, at, starts, sigmas, trials) {
  const [points, first, spacing] = CONSTANTS.aga.points, mine = trials.filter(t => t.winner === player || t.loser === player);
  const away = Array.from({ length: points }, (_, i) => sigmas[player] * (first + spacing * i));
  const logs = away.map(step => {
    const point = at[player] + step;
    return -square((point - starts[player]) / sigmas[player]) / 2 + sum(mine.map(t => t.weight * logNormal(
      t.winner === player ? surplusAt(t, point, at[t.loser]) : surplusAt(t, at[t.winner], point))[0]));
  });
  const most = Math.max(...logs), weights = logs.map(log => Math.exp(log - most));
  return Math.sqrt(sum(weights.map((w, i) => w * away[i] * away[i])) / sum(weights));
}
// An event: a game is [number of White from 0, number of Black, White's score, stones, komi]. A player is a rating and sigma,
// days since his last event and declared rank, or with `seeded` the rating and sigma that he comes with.
function rateAga(given, games, seeded = false) {
  const wins = given.map((_, i) => games.filter(([w, b, score]) => (w === i && score === 1) || (b === i && score === 0)).length);
  const seeds = given.map((one, i) => {
    const player = { rating: one.rating, sigma: CONSTANTS.aga.initial_sigma, declared: CONSTANTS.aga.declared, days: 0,
      daily_sigma: CONSTANTS.aga.daily_sigma, ...one, wins: wins[i] };
    const rank = AGA.declared_used(player.rating, player.declared);
    for (const scale of [player.rating, rank]) if (Math.abs(scale) < 1) fail("A rating of the AGA is 1 or more (dan), or -1 or less (kyu).");
    if (seeded) return { closed_seed: AGA.closed_rating(player.rating), seed_sigma: player.sigma };
    return AGA.seed({ ...player, new_sigma: newSigma(rank) });
  });
  const starts = seeds.map(s => s.closed_seed), sigmas = seeds.map(s => s.seed_sigma);
  const trials = games.flatMap(([white, black, score, handicap = 0, komi = 7.5]) => {
    const needed = AGA.handicap_equivalent(handicap, komi), spread = AGA.spread_of(handicap, komi);
    return [{ winner: white, loser: black, weight: score, needed, spread },
      { winner: black, loser: white, weight: 1 - score, needed: -needed, spread }].filter(t => t.weight > 0);
  });
  let at = starts, view = likelihood(at, starts, sigmas, trials), most = Infinity;
  for (let i = 0; i < 100 && most > 1e-10; i++) {
    let step = solve(view.curvature, view.gradient), ahead = view;
    for (let j = 0; j < 100; j++, step = step.map(x => x / 2)) {
      ahead = likelihood(at.map((x, n) => x + step[n]), starts, sigmas, trials);
      if (ahead.height >= view.height - 1e-12 * Math.abs(view.height)) break;
    }
    at = at.map((x, n) => x + step[n]); view = ahead; most = Math.max(...step.map(Math.abs));
  }
  return at.map((x, i) => ({ seed: AGA.opened_rating(starts[i]), seed_sigma: sigmas[i], rating: AGA.opened_rating(x),
    sigma: sigmaAfter(i, at, starts, sigmas, trials) }));
}

// --- what is typed of an event: players and games, one a line

const linesOf = text => String(text).split(/\r?\n/).flatMap((line, at) => line.trim() ? [[line.trim(), at + 1]] : []);
// A name if there is one, then numbers: `Player 1; 1500; 30`, or `1500 30`.
function parsePlayers(text, columns) {
  return linesOf(text).map(([line, at], i) => {
    const cells = (/[;\t]/.test(line) ? line.split(/[;\t]/) : line.split(/\s+/)).map(c => c.trim());
    const named = !/^[-−]?[\d.,]+$/.test(cells[0]), numbers = cells.slice(Number(named)).filter(Boolean);
    if (!numbers.length || numbers.length > columns.length)
      fail(`Line ${at} of the players (“${line}”) should have ${columns.length === 1 ? "a" : "one to " + columns.length} number${columns.length === 1 ? "" : "s"}: ${columns.map(c => c.replaceAll("_", " ")).join(", ")}; semicolons stand between a name and the numbers.`);
    return { name: named ? cells[0] : String(i + 1),
      ...Object.fromEntries(numbers.map((n, j) => [columns[j], number(n, `${columns[j].replaceAll("_", " ")} in line ${at}`)])) };
  });
}
// The numbers of White and Black in the list of players, White's result, and in Go the stones and the komi.
function parsePairings(text, players, go) {
  return linesOf(text).map(([line, at]) => {
    const cells = line.replace(/(\d|½)\s*[-–−:]\s*(\d|½)/g, "$1-$2").split(/[\s;]+/), score = resultOf(cells[2]);
    const wrong = why => fail(`Line ${at} of the games (“${line}”) is no game: ${why}.`);
    if (cells.length < 3 || cells.length > (go ? 5 : 3)) wrong(`write the numbers of White and Black and White's result${go ? ", then stones and komi" : ""}`);
    const pair = cells.slice(0, 2).map(Number);
    if (pair.some(n => !Number.isInteger(n) || n < 1 || n > players)) wrong(`the players have the numbers 1 to ${players}, in the order of the list`);
    if (pair[0] === pair[1]) wrong("nobody plays himself");
    if (score === undefined) wrong("the result should be such as 1, ½, 0 or 1-0");
    return [pair[0] - 1, pair[1] - 1, score, ...cells.slice(3).map((c, i) => number(c, i ? "komi" : "number of stones", i ? -100 : 0, i ? 100 : 9))];
  });
}
