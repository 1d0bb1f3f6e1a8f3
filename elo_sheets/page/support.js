"use strict";
const square = x => x * x;
// Halves away from zero; a value that decimal arithmetic would put on the half counts as the half.
const round = (x, digits) => {
  const power = Math.pow(10, digits || 0);
  return Math.sign(x) * Math.floor(Math.abs(x) * power * (1 + Math.pow(2, -50)) + 0.5) / power + 0;
};
const density = x => Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
// The complementary error function: a series of positive terms near 0, a continued fraction beyond.
const erfc = x => {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2.5) {
    let term = x, sum = x;
    for (let n = 1; Math.abs(term) > 1e-18 * sum; n++) { term *= 2 * x * x / (2 * n + 1); sum += term; }
    return 1 - 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }
  let fraction = 0;
  for (let n = 120; n > 0; n--) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
};
const normal = x => erfc(-x / Math.SQRT2) / 2;
// The quantile, by halving: the normal curve has no closed inverse.
const quantile = share => {
  if (share > 0.5) return -quantile(1 - share);
  let low = -40, high = 1;
  for (let i = 0; i < 90; i++) { const middle = (low + high) / 2; if (normal(middle) < share) low = middle; else high = middle; }
  return (low + high) / 2;
};
const chosen = (n, k) => { let ways = 1; for (let i = 1; i <= k; i++) ways = ways * (n - k + i) / i; return ways; };
const exactly = (k, n, p) => k < 0 || k > n ? 0 : chosen(n, k) * Math.pow(p, k) * Math.pow(1 - p, n - k);
const binomial = (k, n, p, upTo) => {
  if (!upTo) return exactly(k, n, p);
  let sum = 0;
  for (let i = 0; i <= k; i++) sum += exactly(i, n, p);
  return sum;
};
// The value of the last row whose start is not above x, the first row's below it.
const table = (name, x) => {
  const [starts, values] = TABLES[name];
  let low = 0, high = starts.length;
  while (low < high) { const middle = (low + high) >> 1; if (starts[middle] <= x) low = middle + 1; else high = middle; }
  return values[Math.max(low - 1, 0)];
};
