/** Quantities as Kubernetes writes them, such as `500m` and `256Mi`. */

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** @returns A number that is the same for all ways to write one quantity; `undefined` where the value is none. */
export function readQuantity(value: unknown): number | undefined {
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)([numkMGTPE]?i?)$/.exec(String(value));
  const factor = FACTORS[match?.[2] ?? "?"];
  // Twelve digits, because thousandths are not exact.
  return match === null || factor === undefined ? undefined : Number((Number(match[1]) * factor).toPrecision(12));
}
