// The page itself: fields, results and pictures of one calculator at a time; the fragment of the address holds the fields.
const $ = id => document.getElementById(id);
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== false) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const num = (x, digits = 2) => x === null || x === undefined || Number.isNaN(x) ? "–" : x.toFixed(digits).replace("-", "−");
const signed = (x, digits = 2) => x === null || x === undefined ? "–" : (x >= 0 ? "+" : "") + num(x, digits);
const percent = x => num(100 * x, 1) + "\u00a0%";
const trim = x => num(x, 4).replace(/\.?0+$/, "");

// --- what results are made of

const big = text => element("p", { class: "big" }, text);
const note = text => element("p", { class: "note" }, text);
function grid(caption, headers, rows) {
  const head = element("tr", {}, ...headers.map(text => element("th", { scope: "col" }, text)));
  const body = rows.map(([first, ...rest]) => element("tr", {}, element("th", { scope: "row" }, first), ...rest.map(t => element("td", {}, t))));
  return element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    element("table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body)));
}
const SVG = "http://www.w3.org/2000/svg";
function svg(title, width, height, parts) {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", `0 0 ${width} ${height}`);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", title);
  for (const [tag, attributes, text] of parts) {
    const part = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    if (text !== undefined) part.textContent = text;
    made.append(part);
  }
  return made;
}
// A curve with one point marked on it.
function curve(title, f, low, high, [x, y], label, bottom = 0, top = 1, ticks = v => percent(v)) {
  const at = v => 60 + 420 * (v - low) / (high - low), up = v => 170 - 150 * (v - bottom) / (top - bottom || 1);
  const points = Array.from({ length: 81 }, (_, i) => low + (high - low) * i / 80).map(v => `${at(v).toFixed(1)},${up(f(v)).toFixed(1)}`);
  const middle = (low + high) / 2, half = (bottom + top) / 2;
  return svg(title, 500, 215, [
    ["path", { class: "axis", d: "M60 20V170H480M60 95h420", "stroke-opacity": 0.5 }],
    ...[[bottom, 174], [half, 99], [top, 24]].map(([v, place]) => ["text", { x: 54, y: place, "text-anchor": "end" }, ticks(v)]),
    ...[low, middle, high].map(v => ["text", { x: at(v), y: 188, "text-anchor": "middle" }, trim(round(v, 1))]),
    ["text", { x: 270, y: 208, "text-anchor": "middle" }, label],
    ["polyline", { class: "curve", points: points.join(" ") }],
    ...(x >= low && x <= high ? [["circle", { class: "dot", cx: at(x), cy: up(y), r: 6 }]] : []),
  ]);
}
// Win, draw and loss as one bar each.
function shares(title, bars) {
  const parts = [];
  bars.forEach(([name, ...parts3], i) => {
    let x = 70;
    parts.push(["text", { x: 0, y: 26 + 40 * i }, name]);
    parts3.forEach((share, j) => {
      parts.push(["rect", { class: ["win", "draw", "loss"][j], x, y: 8 + 40 * i, width: Math.max(0, 410 * share), height: 26 }]);
      x += 410 * share;
    });
  });
  const y = 40 * bars.length + 18;
  [["win", "A wins"], ["draw", "draw"], ["loss", "B wins"]].forEach(([kind, name], i) => {
    parts.push(["rect", { class: kind, x: 70 + 120 * i, y: y - 11, width: 12, height: 12 }], ["text", { x: 88 + 120 * i, y }, name]);
  });
  return svg(title, 490, y + 8, parts);
}
function changes(title, values) {
  const most = Math.max(...values.map(Math.abs), 1e-9), width = Math.min(40, 440 / values.length);
  const parts = [["path", { class: "axis", d: `M20 80H${40 + width * values.length}` }]];
  values.forEach((v, i) => parts.push(["rect", { class: v >= 0 ? "win" : "loss", x: 30 + width * i, width: width * 0.8,
    y: v >= 0 ? 80 - 65 * v / most : 80, height: 65 * Math.abs(v) / most }]));
  return svg(title, 490, 160, parts);
}

// --- the fields

const rating = (id, label, value, help) => ({ id, label, value, help, kind: "number" });
const maybe = (id, label, help) => ({ id, label, value: "", help, kind: "number" });
const choice = (id, label, options, value, help) => ({ id, label, value: value || Object.keys(options)[0], options, help, kind: "choice" });
const day = (id, label) => ({ id, label, value: "", kind: "date", help: "The day whose rules hold; today if it is empty." });
const text = (id, label, value, help) => ({ id, label, value, help, kind: "text" });
const box = (id, label, value, help) => ({ id, label, value, help, kind: "box" });
const check = (id, label) => ({ id, label, value: "", kind: "check" });
const RULES = { none: "Full difference", cap400: "400 points at most", fide2650: "400 points below 2650", "fide-table": "FIDE's table" };
const CURVES = { logistic: "Logistic", normal: "Normal", linear: "Linear" };
const GAMES = "1675 1\n2310 0\n1653 1\n1884 1\n2218 0";
const GAMES_HELP = "One game a line: the opponent's rating and the result (1, ½, 0, W, D, L), a name if you like. Paste from a sheet.";

const optional = (v, id, what, least, most) => v[id].trim() === "" ? undefined : number(v[id], what, least, most);
const dayOf = v => v.as_of || today();
const scoreOf = t => {
  if (!t.trim()) return undefined;
  const found = /^\s*(\d+(?:[.,]5)?|½)\s*[-–:]\s*(\d+(?:[.,]5)?|½)\s*$/.exec(t);
  if (!found) fail(`The score should be like 2-1 or 2.5-1.5, not “${t}”.`);
  return found.slice(1).map(x => x === "½" ? 0.5 : Number(x.replace(",", ".")));
};
function gamesOf(v) {
  const found = parseGames(v.games);
  if (found.rejected.length) {
    const { line, text: typed, reason } = found.rejected[0];
    fail(`Line ${line} (“${typed}”) is no game: ${reason}.`);
  }
  if (!found.opponents.length) fail("Type a game: the opponent's rating and the result.");
  return found;
}

const SECTION = "554.22\n445.28; 21\n124\n572.53\n174.54; 15\n202.66; 17", SECTION_GAMES = "1 4 1\n1 2 1\n1 6 1\n2 5 1\n2 4 1\n3 6 1\n5 3 1\n4 5 1";
const GO_PLAYERS = "1.1; 0.1; 2\n2.1; 0.2; 2\n1.2; 0.12; 2\n2.2; 0.22; 2", GO_GAMES = "2 1 0 2 0\n4 3 1 0 7";
// The players and games typed of a whole event.
function typedEvent(v, columns) {
  const players = parsePlayers(v.players, columns), games = parsePairings(v.games, players.length, v.system === "aga");
  if (!players.length || !games.length) fail("Type the players and the games.");
  if (players.length > 200) fail("At most 200 players: the command rates larger events.");
  return [players, games];
}
function showSection(v) {
  const [typed, games] = typedEvent(v, ["rating", "games"]), factor = bonusFactor(dayOf(v));
  const players = typed.map(p => ({ ...p, games: p.games === undefined ? CONSTANTS.us_settled.initial_games : p.games }));
  for (const p of players) if (p.games < 0) fail("The number of games should not be below 0.");
  const match = v.kind === "match", found = rateSection(players, games, factor, v.dual, match);
  const rows = found.map((f, i) => [players[i].name, num(players[i].rating), num(f.rating), signed(f.rating - players[i].rating),
    num(f.first_pass), f.k_used === undefined ? "–" : f.k_used === null ? "special" : num(f.k_used, 3), num(f.period_expected, 4), num(f.bonus), num(f.floor_used, 0)]);
  const { games: few, gap, limit } = CONSTANTS.match;
  return [big(match && !matchCounts(players) ? "This match is not rated" : `${players.length} players, ${games.length} ${games.length === 1 ? "game" : "games"}`),
    grid(match ? "Match" : "Section", ["Player", "Before", "After", "Change", "First pass", "K", "Expected", "Bonus", "Floor"], rows),
    changes("Points won and lost, player by player", found.map((f, i) => f.rating - players[i].rating)),
    note(match ? `A match is rated where both players have more than ${few} games and are at most ${gap} points apart; it has no bonus and moves a rating by at most ${limit} (the rules of 2020).`
      : `Bonus factor B ${trim(factor)}, that of the day.`)];
}
function showAga(v) {
  const [players, games] = typedEvent(v, ["rating", "sigma", "days", "declared"]);
  for (const p of players) if (p.sigma < 0 || p.days < 0) fail("Sigma and days should not be below 0.");
  const found = rateAga(players, games), closed = players.map(p => AGA.closed_rating(p.rating));
  const rows = found.map((f, i) => [players[i].name, trim(players[i].rating), num(f.rating, 5), num(f.sigma, 5), num(f.seed, 5), num(f.seed_sigma, 5)]);
  const odds = games.map(([w, b, score, stones = 0, komi = 7.5]) => [`${players[w].name} – ${players[b].name}`, trim(score), trim(stones), trim(komi),
    percent(AGA.white_wins(closed[w] - closed[b], stones, komi))]);
  return [big(`${players.length} players, ${games.length} ${games.length === 1 ? "game" : "games"}`),
    grid("Event", ["Player", "Before", "After", "Sigma", "Seed", "Seed's sigma"], rows),
    grid("Games", ["White – Black", "Score", "Stones", "Komi", "White wins"], odds),
    note("The ratings are the most likely ones of all players at once; the seed is what a player comes with. The chances are those of the ratings before the event.")];
}

const CALCULATORS = {
  game: {
    name: "One game", about: "Expected scores of two ratings, and what each result changes for both.",
    fields: () => [rating("a", "Rating of A", "1600"), rating("b", "Rating of B", "1500"), rating("k", "K of A", "20"),
      maybe("k_b", "K of B", "As A's if it is empty."), choice("rule", "How a large difference counts", RULES),
      rating("games", "Games in the rating period", "1", "K times games is 700 at most."), day("as_of", "Day")],
    show: v => {
      const rule = v.rule, a = number(v.a, "rating of A"), b = number(v.b, "rating of B"), games = number(v.games, "number of games", 1, 1e6);
      if (games % 1) fail("The number of games should be whole.");
      const found = calc({ a, b, k: number(v.k, "K", 0, 1e6), k_b: optional(v, "k_b", "K of B", 0, 1e6), rule, games, as_of: dayOf(v) });
      const name = { win: "A wins", draw: "draw", loss: "B wins" };
      const rows = Object.entries(found.outcomes).map(([r, o]) => [name[r], signed(o.a.change), num(o.a.new), signed(o.b.change), num(o.b.new)]);
      const cut = ["a", "b"].filter(s => found.counted[s] !== (s === "a" ? found.difference : -found.difference));
      const wide = Math.max(600, Math.ceil(Math.abs(a - b) / 200) * 200);
      return [big(`A is expected to score ${num(found.expected.a, 4)}, B ${num(found.expected.b, 4)}`),
        grid("What a result changes", ["Result", "A change", "A new", "B change", "B new"], rows),
        note(cut.length ? `The rule lets ${num(Math.abs(found.counted[cut[0]]), 0)} of ${num(Math.abs(found.difference), 0)} points count for ${cut.join(" and ").toUpperCase()}.` : "The whole difference counts."),
        ...(found.k.a !== Number(v.k) ? [note(`K of A in use is ${trim(found.k.a)}: K times games is 700 at most.`)] : []),
        curve("Expected score by the difference of ratings", d => calc({ a: d, b: 0, rule, as_of: dayOf(v) }).expected.a,
          -wide, wide, [a - b, found.expected.a], "difference of ratings"),
        note(CONSTANTS.why[rule] || CONSTANTS.why.curve)];
    },
  },
  event: {
    name: "Event", about: "What the games of an event do to one rating, under four rules.",
    fields: v => {
      const system = (v && v.system) || "elo";
      return [rating("rating", "Your rating", "2053"), box("games", "Games", GAMES, GAMES_HELP),
        choice("system", "System", { elo: "Elo", fide: "FIDE", uschess: "US Chess", dwz: "DWZ (Germany)" }),
        ...(system === "elo" ? [rating("k", "K", "20"), choice("gap_rule", "How a large difference counts", { none: RULES.none, cap400: RULES.cap400, fide2650: RULES.fide2650 }), choice("curve", "Curve", CURVES)] : []),
        ...(system === "fide" ? [choice("kind", "Kind of chess", { standard: "Standard", rapid: "Rapid", blitz: "Blitz" }), maybe("k", "K", "By FIDE's rule if it is empty.")] : []),
        ...(system === "dwz" ? [choice("rules", "Rules", { 2014: "2014", 2026: "2026" }), maybe("events_before", "Events before (index)", "6 if it is empty.")] : []),
        ...(["fide", "dwz"].includes(system) ? [maybe("born", "Year of birth", "Grown up if it is empty.")] : []),
        ...(["fide", "uschess"].includes(system) ? [maybe("games_before", "Games before", system === "fide" ? "30 if it is empty." : "50 if it is empty.")] : []),
        ...(system === "elo" ? [] : [day("as_of", "Day")])];
    },
    show: v => {
      const typed = gamesOf(v), settings = {};
      for (const name of ["gap_rule", "curve", "kind", "rules"]) if (v[name]) settings[name] = v[name];
      const asked = { rating: number(v.rating, "rating"), opponents: typed.opponents, scores: typed.scores, system: v.system, settings, as_of: v.as_of || today() };
      for (const [id, what] of [["k", "K"], ["born", "year of birth"], ["games_before", "number of games"], ["events_before", "number of events"]])
        if (v[id] !== undefined) asked[id] = optional(v, id, what, 0, 1e6);
      const found = event(asked), p = found.performance;
      const rows = found.games.map((g, i) => [typed.names[i] || String(i + 1), trim(g.opponent), trim(g.score), num(g.expected, 4), signed(g.change)]);
      rows.push(["All", num(found.average_opponent, 1), trim(found.score), num(found.expected, 4), signed(found.change)]);
      const performance = [["Linear (400)", num(p.linear, 1)], ["FIDE's table", num(p.table, 0)], ["Exact", num(p.exact, 1)]];
      if (v.system === "dwz") performance.unshift(["DWZ", num(p.federation, 0)]);
      const details = Object.entries(found.details).filter(([name]) => name !== "k").map(([name, value]) => `${name.replaceAll("_", " ")} ${trim(value)}`);
      return [big(`${trim(asked.rating)} → ${num(found.new)} (${signed(found.change)})`),
        note(`${found.k === null ? "Special formula" : `K ${trim(found.k)}`}${details.map(d => ", " + d).join("")}; the change rounded is ${signed(found.rounded_change, 0)}.`),
        grid("Game by game", ["Opponent", "Rating", "Score", "Expected", "Change"], rows),
        ...(found.k === null ? [] : [changes("Points won and lost, game by game", found.games.map(g => g.change))]),
        grid("Performance", ["Method", "Rating"], performance)];
    },
  },
  together: {
    name: "Whole event", about: "All players of an event, rated together: a section by US Chess, or an event by the AGA.",
    fields: v => {
      const go = Boolean(v) && v.system === "aga";
      return [choice("system", "System", { uschess: "US Chess", aga: "AGA (Go)" }),
        go ? box("players", "Players", GO_PLAYERS, "One a line: a name if you like, then rating, sigma, days since the last event and declared rank, with semicolons between them. 1.5 is 1 dan, −2.3 is 2 kyu. Without a sigma a player is new.")
          : box("players", "Players", SECTION, "One a line: a name if you like, then rating and rated games before, with semicolons between them. 0 games: a newcomer with his start value; 50 where nothing is said."),
        go ? box("games", "Games", GO_GAMES, "One a line: the numbers of White and of Black in the list, White's result, handicap stones and komi (0 and 7.5 where nothing is said).")
          : box("games", "Games", SECTION_GAMES, "One a line: the numbers of two players in the list, and the first one's result."),
        ...(go ? [] : [choice("kind", "What it is", { section: "A section", match: "A match of two players" }), choice("dual", "Dual-rated", { no: "No", yes: "Yes" }, "no", "Yes: the Regular rating of time controls of 30 to 65 minutes."), day("as_of", "Day")])];
    },
    show: v => v.system === "aga" ? showAga(v) : showSection(v),
  },
  performance: {
    name: "Performance", about: "The rating that a result against rated opponents is worth, by three methods.",
    fields: () => [box("games", "Games", GAMES, GAMES_HELP), choice("curve", "Curve of the exact one", CURVES)],
    show: v => {
      const { opponents, scores } = gamesOf(v), p = performances(opponents, scores, v.curve), n = scores.length;
      const total = r => sum(opponents.map(o => F["expected_" + v.curve](r - o, 400)));
      const low = Math.min(...opponents) - 300, high = Math.max(...opponents) + 300;
      return [big(`Exact performance ${num(p.exact, 1)}`),
        grid("By method", ["Method", "Rating"], [["Linear (average and 400 points)", num(p.linear, 1)], ["FIDE's table", num(p.table, 0)], ["Exact", num(p.exact, 1)],
          ["Average opponent", num(sum(opponents) / n, 1)]]),
        curve("Expected points by rating", total, low, high, p.exact === null ? [Infinity, 0] : [p.exact, sum(scores)], "rating", 0, n, x => trim(x)),
        note("At no point and at all points no rating is expected to score that, so there is no exact performance.")];
    },
  },
  k: {
    name: "K-factor", about: "Which K is yours by the rules of FIDE and of US Chess.",
    fields: () => [rating("rating", "Rating", "1850"), rating("games", "Rated games before", "45"), maybe("peak", "Highest rating so far", "The rating if it is empty."),
      maybe("born", "Year of birth", "Grown up if it is empty."), choice("kind", "Kind of chess", { standard: "Standard", rapid: "Rapid", blitz: "Blitz" }),
      rating("period_games", "Games in the period or event", "5"), day("as_of", "Day")],
    show: v => {
      const games = number(v.period_games, "number of games", 1, 1000);
      if (games % 1) fail("The number of games should be whole.");
      const found = kFactors({ rating: number(v.rating, "rating"), games: number(v.games, "number of games before", 0, 1e6),
        peak: optional(v, "peak", "highest rating", 0, 1e6) || 0, born: optional(v, "born", "year of birth", 0, 1e6) || 0,
        kind: v.kind, period_games: games, as_of: dayOf(v) });
      return [big(`FIDE: K ${trim(found.fide)}`),
        grid("K", ["Federation", "K"], [["FIDE", trim(found.fide)], ["FIDE, in so many games (K times games is 700 at most)", trim(found.fide_used)],
          ["US Chess, in an event of so many games", found.uschess === null ? "special formula" : num(found.uschess, 4)],
          ["US Chess: effective games", num(found.effective_games, 4)]]),
        note("FIDE: 40 for the first 30 games and for juniors below 2300, 10 from the first rating of 2400 on, else 20. The German K depends on the result: the calculator of an event shows it.")];
    },
  },
  goal: {
    name: "Rating needed", about: "The score that lifts a rating to a target or makes a norm, and the chance of it.",
    fields: () => [rating("rating", "Your rating", "1850"), rating("target", "Target", "1870", "May be empty where a norm is chosen below."), text("opponents", "Opponents' ratings", "1900, 1850, 1950, 2000, 1800", "Or leave it empty and say how many games."),
      maybe("games", "Number of games"), maybe("average", "The opponents' average"), rating("k", "K", "20"), choice("curve", "Curve", CURVES),
      rating("draws", "Share of drawn games", "0", "From 0 to 1."), choice("norm", "Norm", { "": "None", gm: "GM", im: "IM", wgm: "WGM", wim: "WIM" })],
    show: v => {
      const typed = v.opponents.trim() ? v.opponents.split(/[;,\s]+/).filter(Boolean).map((o, i) => number(o, `rating of opponent ${i + 1}`)) : [];
      const games = optional(v, "games", "number of games", 1, 1000), average = optional(v, "average", "average");
      if (typed.length && (games !== undefined || average !== undefined)) fail("Give the opponents, or games and their average, not both.");
      const opponents = typed.length ? typed : games !== undefined && average !== undefined ? Array(games).fill(average) : [];
      const target = optional(v, "target", "target"), asked = { rating: number(v.rating, "rating"), opponents, k: number(v.k, "K", 0, 1e6), curve: v.curve,
        draws: number(v.draws, "share of draws", 0, 1), norm: v.norm || undefined, target };
      if (target === undefined && !v.norm) fail("Give a target, or choose a norm.");
      const found = goal(asked), shown = [];
      if (asked.target !== undefined) {
        shown.push(big(`${trim(found.half_points_needed)} of ${found.games} points for ${trim(asked.target)}`),
          note(found.possible ? `Exactly ${num(found.score_needed, 4)}; the chance is ${percent(found.chance)}; a performance of ${num(found.performance_needed, 1)}.` : "Not possible in these games."),
          grid("How many such games it takes", ["Share of the points", "Games"], found.games_needed.map(g => [percent(g.share), g.games === null ? "never" : String(g.games)])));
        const last = found.games, chance = s => chanceOfScore(opponents.map(o => F["expected_" + v.curve](asked.rating - o, 400)), Math.ceil(2 * s - 1e-9) / 2, asked.draws);
        shown.push(curve("The chance of at least so many points", chance, 0, last, [Math.min(found.half_points_needed, last), chance(Math.min(found.half_points_needed, last))], "at least so many points"));
      }
      if (found.norm) shown.push(note(`${found.norm.title.toUpperCase()} norm: ${found.norm.score_needed === null ? "no score is enough" : `${trim(found.norm.score_needed)} points, ${found.norm.possible ? "chance " + percent(found.norm.chance) : "not possible: " + [!found.norm.average_enough && "the opponents' average is too low", !found.norm.games_enough && "it takes nine games"].filter(Boolean).join(" and ")}`}.`));
      shown.push(note(`Expected score: ${num(found.expected, 4)}.${asked.draws ? "" : " The chance counts no draws: give their share."}`));
      return shown;
    },
  },
  match: {
    name: "Match", about: "Odds of a match with draws and the first move, of the most points of a number of games, from any score.",
    fields: () => [rating("a", "Rating of A", "2000"), rating("b", "Rating of B", "2400"), choice("draws", "Draws", { labelle: "By Labelle's model of chess", none: "None", share: "A share of the games" }),
      rating("share", "Share of drawn games", "0.3", "Counts where a share is chosen."), choice("first", "Who moves first in the next game", { "": "Nobody knows", a: "A", b: "B" }),
      rating("games", "Number of games", "1"), text("score", "Score so far", "", "Such as 2.5-1.5."), choice("curve", "Curve", { logistic: "Logistic", normal: "Normal" }, "", "Labelle's model has the normal one.")],
    show: v => odds({ ...ratings(v), draws: v.draws === "share" ? number(v.share, "share of draws", 0, 1) : v.draws, first: (v.draws === "labelle" && v.first) || undefined,
      curve: v.draws === "labelle" ? undefined : v.curve, games: number(v.games, "number of games", 1, 1000), score: scoreOf(v.score) }),
  },
  best: {
    name: "Best of, win by", about: "Odds of a match in which every game has a winner: best of n, first to n, win by two.",
    fields: v => [rating("a", "Rating of A", "1600"), rating("b", "Rating of B", "1500"), maybe("expected", "Or A's share of games", "From 0 to 1; then the ratings do not count."),
      choice("format", "Format", { best_of: "Best of", first_to: "First to", win_by: "Win by" }),
      ...(((v && v.format) || "best_of") === "first_to" ? [rating("n", "First to", "11"), rating("margin", "And so many ahead", "2")]
        : (v && v.format) === "win_by" ? [rating("n", "So many ahead", "2")] : [rating("n", "Best of", "5", "An odd number.")]),
      text("score", "Score so far", "", "Such as 2-1."), choice("curve", "Curve", { logistic: "Logistic", normal: "Normal" })],
    show: v => {
      const n = number(v.n, "number", 1, 1000), expected = optional(v, "expected", "share of games", 0, 1);
      const form = v.format === "first_to" ? { first_to: n, win_by: number(v.margin, "margin", 1, 1000) } : { [v.format]: n };
      return odds({ ...(expected === undefined ? ratings(v) : { expected }), ...form, curve: v.curve, score: scoreOf(v.score) });
    },
  },
  tennis: {
    name: "Tennis", about: "Ratings of tennis describe matches of best of three; so do these odds of best of three and five.",
    fields: () => [rating("a", "Rating of A", "1700"), rating("b", "Rating of B", "1500"), choice("best_of", "Sets", { 3: "Best of 3", 5: "Best of 5" }, "5"), text("score", "Sets so far", "", "Such as 1-0.")],
    show: v => odds({ ...ratings(v), tennis: true, best_of: Number(v.best_of), score: scoreOf(v.score) }, "set"),
  },
  go: {
    name: "Go", about: "Odds of games of Go, by ratings or ranks of the EGF, or ratings of the AGA.",
    fields: v => [choice("go", "Federation", { egf: "EGF (since 2021)", aga: "AGA" }), text("a", "Rating or rank of A", (v && v.go) === "aga" ? "1.5" : "1d", "EGF: 2100 or 1d. AGA: 1.5 is 1 dan, −2.3 is 2 kyu."),
      text("b", "Rating or rank of B", (v && v.go) === "aga" ? "-2.3" : "3k"), rating("games", "Number of games", "1"), text("score", "Score so far", "")],
    show: v => {
      const read = t => v.go === "egf" ? ranked(t) : number(t, "rating");
      return odds({ a: read(v.a), b: read(v.b), go: v.go, games: number(v.games, "number of games", 1, 1000), score: scoreOf(v.score) });
    },
  },
  systems: {
    name: "Every system", about: "One game under each rating system that rates by games: both players' states before it, and after. US Chess and the AGA rate all players of an event together: see Whole event, where one game may be the event. " + CONSTANTS.fits,
    fields: v => systemFields(v || {}),
    show: v => showSystem(v),
  },
};
const ratings = v => ({ a: number(v.a, "rating of A", -1e6, 1e6), b: number(v.b, "rating of B", -1e6, 1e6) });

function odds(asked, unit = "game") {
  const found = match(asked), row = (name, o, difference) => [name, ...o.map(percent), num(o[0] + o[1] / 2, 4), signed(difference, 1)];
  const one = [found.win, found.draw, found.loss];
  const said = [["Expected score of a " + (unit === "set" ? "match of best of three" : "game"), num(found.expected, 4)], ["Difference in points", signed(found.difference, 1)],
    ["Difference in pawns", found.pawns === null ? null : signed(found.pawns, 3)], ["Points for a pawn at the average rating", found.elo_per_pawn && num(found.elo_per_pawn, 2)],
    ["Points that a draw is worth", found.draw_shift && num(found.draw_shift, 2)], ["Points for a rank", found.elo_per_rank && num(found.elo_per_rank, 1)],
    ["Points for a rank before 2021", found.elo_per_rank_before_2021 && num(found.elo_per_rank_before_2021, 1)],
    ["The format multiplies a small difference by", found.ratio && num(found.ratio, 4)]];
  return [big(`A wins ${percent(found.win)}${found.draw ? `, draw ${percent(found.draw)}` : ""}, B wins ${percent(found.loss)}`),
    grid("Odds", ["", "A wins", "Draw", "B wins", "Expected", "Difference"], [row(unit === "set" ? "Set" : "Game", found.game, found.game_difference), row("Match", one, found.match_difference)]),
    shares("Win, draw and loss", [[unit === "set" ? "Set" : "Game", ...found.game], ["Match", ...one]]),
    grid("More", ["", ""], said.filter(([, value]) => value !== null && value !== undefined && value !== 0))];
}

// --- every system

const plain = value => Number.isInteger(value) ? String(value) : String(+value.toPrecision(10));
function systemFields(v) {
  const name = SYSTEMS[v.system] ? v.system : "elo", system = SYSTEMS[name];
  const settings = { ...defaults(name) };
  for (const one of Object.keys(system.choices)) if (v["s." + one]) settings[one] = v["s." + one];
  const form = formOf(name, settings), reads = new Set(form.reads), fields = [];
  const states = system.states.filter(s => form.states.includes(s[0]));
  fields.push(choice("system", "System", Object.fromEntries(Object.entries(SYSTEMS).map(([one, s]) => [one, s.title]))));
  for (const who of ["a", "b"])
    for (const [state, label, initial] of states)
      fields.push(rating(`${who}.${state}`, `${label} of ${who.toUpperCase()}`, plain(system.starts[initial])));
  fields.push(choice("result", "Result", { win: "A wins", draw: "Draw", loss: "B wins" }));
  for (const [one, [label, kind]] of Object.entries(CONSTANTS.said)) {
    if (!reads.has(one)) continue;
    if (kind === "choice") fields.push(choice(one, label, { 1: "A", "-1": "B" }, "1"));
    else if (kind === "check") fields.push(check(one, label));
    else fields.push(rating(one, label, one === "elapsed" ? "1" : one === "points" ? "1" : "0"));
  }
  if (reads.has("date") || reads.has("year")) fields.push(day("as_of", "Day"));
  for (const [one, [label, meaning, value, options, isDate, personal]] of Object.entries(system.settings)) {
    if (isDate || states.some(s => s[2] === one)) continue;
    const more = { more: true };
    if (options.length && system.choices[one]) fields.push({ ...choice("s." + one, label, Object.fromEntries(options.map(o => [o, o])), String(value), meaning), ...more });
    else if (!options.length && personal) for (const who of ["a", "b"]) fields.push({ ...rating(`${who}.${one}`, `${label} of ${who.toUpperCase()}`, plain(value), meaning), ...more });
    else if (!options.length && (reads.has(one) || system.choices[one])) fields.push({ ...rating("s." + one, label, plain(value), meaning), ...more });
  }
  return fields;
}
function showSystem(v) {
  const name = v.system, system = SYSTEMS[name], known = system.states.filter(s => v["a." + s[0]] !== undefined), settings = {}, states = { a: {}, b: {} }, own = { a: {}, b: {} };
  for (const who of ["a", "b"]) for (const [state, label] of known) states[who][state] = number(v[`${who}.${state}`], label, -1e6, 1e6);
  for (const [id, value] of Object.entries(v)) {
    const [kind, one] = [id[0], id.slice(2)];
    if (id[1] === "." && kind === "s") settings[one] = system.settings[one][3].length ? value : number(value, system.settings[one][0], -1e6, 1e6);
    else if (id[1] === "." && !system.states.some(s => s[0] === one)) own[kind][one] = number(value, system.settings[one][0], -1e6, 1e6);
  }
  const game = { score: { win: 1, draw: 0.5, loss: 0 }[v.result] };
  for (const [one, [label, kind]] of Object.entries(CONSTANTS.said))
    if (v[one] !== undefined) game[one] = kind === "number" ? number(v[one], label, 0, 1e6) : kind === "check" ? Number(v[one] === "1") : Number(v[one]);
  if (game.shootout) game.shootout = game.score === 1 ? 1 : game.score === 0 ? -1 : 0;
  if (v.as_of !== undefined) { game.date = serial(dayOf(v)); game.year = Number(dayOf(v).slice(0, 4)); }
  const found = { a: rateGame(name, { ...settings, ...own.a }, states.a, states.b, game).a, b: rateGame(name, { ...settings, ...own.b }, states.a, states.b, game).b };
  for (const who of ["a", "b"]) if (!Number.isFinite(found[who].after.rating)) fail("These numbers give no rating: look at them again.");
  const row = ([state, label]) => [label, ...["a", "b"].flatMap(w => [plain(states[w][state]), trim(found[w].after[state])])];
  const steps = Object.keys(system.labels).filter(n => [found.a.game[n], found.a.end[n]].some(x => typeof x === "number"));
  const value = (w, n) => { const x = found[w].end[n] === undefined ? found[w].game[n] : found[w].end[n]; return typeof x === "number" && isFinite(x) ? String(+x.toPrecision(8)).replace("-", "−") : "–"; };
  const expected = found.a.expected;
  return [big(`A ${trim(found.a.after.rating)} (${signed(found.a.after.rating - states.a.rating)}), B ${trim(found.b.after.rating)} (${signed(found.b.after.rating - states.b.rating)})`),
    ...(typeof expected === "number" ? [note(`A is expected to score ${num(expected, 4)}.`)] : []), ...(system.lower ? [note("The lower rating is the better one.")] : []),
    grid("Before and after", ["", "A before", "A after", "B before", "B after"], known.map(row)),
    grid("Step by step", ["Step", "A", "B"], steps.map(n => [system.labels[n], value("a", n), value("b", n)])), note(system.about)];
}

// --- the page

let current = "", values = {};
const fieldsNow = () => CALCULATORS[current].fields(values);
function readFragment() {
  const [id, query = ""] = location.hash.slice(1).split("?");
  return [CALCULATORS[id] ? id : "game", Object.fromEntries(new URLSearchParams(query))];
}
function writeFragment() {
  const fields = fieldsNow(), kept = new URLSearchParams();
  for (const f of fields) if (values[f.id] !== undefined && values[f.id] !== f.value) kept.set(f.id, values[f.id]);
  const query = kept.toString();
  history.replaceState(null, "", `#${current}${query ? "?" + query : ""}`);
}
function control(f) {
  const id = "f-" + f.id, help = f.help ? id + "-help" : undefined, common = { id, name: f.id, "aria-describedby": help };
  const value = values[f.id] === undefined ? f.value : values[f.id];
  let made;
  if (f.kind === "choice") made = element("select", common, ...Object.entries(f.options).map(([v, t]) => element("option", { value: v, selected: v === value && "selected" }, t)));
  else if (f.kind === "box") made = element("textarea", { ...common, spellcheck: "false", rows: 7 });
  else made = element("input", { ...common, type: { date: "date", check: "checkbox" }[f.kind] || "text", inputmode: f.kind === "number" ? "decimal" : undefined });
  if (f.kind === "check") made.checked = value === "1"; else made.value = value;
  const label = element("label", { for: id }, f.label), parts = f.kind === "check" ? [made, label] : [label, made];
  if (f.help) parts.push(element("small", { id: help }, f.help));
  return element("div", { class: f.kind === "check" ? "field check" : "field" }, ...parts);
}
function build() {
  const fields = fieldsNow(), open = $("more") && $("more").open;
  const first = fields.filter(f => !f.more), more = fields.filter(f => f.more);
  const children = first.map(control);
  if (more.length) children.push(element("details", { id: "more", open: (open || more.some(f => values[f.id] !== undefined && values[f.id] !== f.value)) && "open" }, element("summary", {}, "Settings of the rule"), ...more.map(control)));
  $("form").replaceChildren(...children);
}
function compute() {
  const asked = {};
  for (const f of fieldsNow()) asked[f.id] = values[f.id] === undefined ? f.value : values[f.id];
  try {
    $("result").replaceChildren(...CALCULATORS[current].show(asked));
    $("error").textContent = "";
  } catch (error) {
    $("result").replaceChildren();
    $("error").textContent = error.message;
  }
}
function show() {
  [current, values] = readFragment();
  const one = CALCULATORS[current];
  $("title").textContent = one.name;
  $("about").textContent = one.about;
  document.title = `${one.name} – Rating calculators`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === "#" + current) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  build();
  compute();
}
$("list").append(...Object.entries(CALCULATORS).map(([id, one]) => element("li", {}, element("a", { href: "#" + id }, one.name))));
$("form").addEventListener("submit", e => e.preventDefault());
$("form").addEventListener("input", e => {
  const field = e.target, before = fieldsNow().map(f => f.id + f.label).join();
  values[field.name] = field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
  if (field.name === "system") values = { ...(current === "event" ? values : {}), system: field.value };
  if (field.name === "go" || field.name === "format") for (const id of ["a", "b", "n"]) if (field.name === "go" || id === "n") delete values[id];
  if (fieldsNow().map(f => f.id + f.label).join() !== before || ["go", "format", "system"].includes(field.name)) {
    build();
    $("f-" + field.name).focus();
  }
  writeFragment();
  compute();
});
addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", e => { e.preventDefault(); $("main").focus(); });
show();
