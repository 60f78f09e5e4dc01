/**
 * The slope of a series with its 95 % confidence interval. Memory wanders: one sample says much about the next, and an
 * interval that took them for independent would be far too narrow. So the variance is that of Newey and West (1987), of
 * scores that were whitened first (Andrews and Monahan, 1992), with the lags that Andrews' plug-in rule (1991) asks for.
 */

/** Of the normal distribution: a soak has hundreds of samples. */
const Z_95 = 1.96;
/** A dependence beyond this cannot be distinguished from a random walk. */
const MAX_DEPENDENCE = 0.97;

/**
 * @param {readonly (readonly [x: number, y: number])[]} points Evenly spaced in x, at least ten.
 * @returns {{ slope: number, low: number, high: number, dependence: number }} In y for each x; the dependence is the
 * correlation of one error with the next.
 */
export function slopeWithInterval(points) {
  const count = points.length;
  if (count < 10) throw new Error(`A slope with an interval needs at least 10 samples, not ${count}.`);
  const meanX = sum(points.map(([x]) => x)) / count;
  const meanY = sum(points.map(([, y]) => y)) / count;
  const spread = sum(points.map(([x]) => (x - meanX) ** 2));
  const slope = sum(points.map(([x, y]) => (x - meanX) * (y - meanY))) / spread;
  // The slope's error is the sum of these over the spread.
  const scores = points.map(([x, y]) => (x - meanX) * (y - meanY - slope * (x - meanX)));
  const found = correlation(scores);
  // Found around a fitted line it is too low by about this much (Kendall, 1954).
  const dependence = Math.min(Math.max(found + (2 + 4 * found) / count, 0), MAX_DEPENDENCE);
  const whitened = scores.slice(1).map((score, index) => score - dependence * (scores[index] ?? 0));
  const variance = (longRunVariance(whitened) * count) / (1 - dependence) ** 2;
  // Two parameters were estimated from the same samples.
  const half = (Z_95 * Math.sqrt((variance * count) / (count - 2))) / spread;
  return { slope, low: slope - half, high: slope + half, dependence };
}

/** With Bartlett's weights. @param {readonly number[]} values */
function longRunVariance(values) {
  const rho = correlation(values);
  const alpha = (4 * rho ** 2) / ((1 - rho) ** 2 * (1 + rho) ** 2);
  const lags = Math.min(Math.ceil(1.1447 * (alpha * values.length) ** (1 / 3)), Math.floor(values.length / 4));
  let variance = products(values, 0);
  for (let lag = 1; lag <= lags; lag++) variance += 2 * (1 - lag / (lags + 1)) * products(values, lag);
  return variance / values.length;
}

/** Of each value with the next. @param {readonly number[]} values */
function correlation(values) {
  const own = products(values, 0);
  return own === 0 ? 0 : products(values, 1) / own;
}

/** @param {readonly number[]} values @param {number} lag */
function products(values, lag) {
  return sum(values.slice(lag).map((value, index) => value * (values[index] ?? 0)));
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
