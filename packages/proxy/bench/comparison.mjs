/** Prints what the figures say of our endpoint beside the better peer of each measurement, and of the goals it has. */

/** @typedef {{ target: string, sessions: number, payload: string, refused?: string, perSecond?: number, p50?: number, p99?: number, cpuMsPerCall?: number, memoryMiB?: number }} Row */
/** @typedef {Exclude<keyof Row, "target" | "sessions" | "payload" | "refused">} Figure */

/** Neither is a peer. */
const OWN = new Set(["ours", "bare", "direct"]);
const GOALS = {
  /** Times the better peer's calls a second, where eight sessions call. */
  perSecond: { sessions: 8, least: 3 },
  /** Shares of the better peer's. */
  p99: 0.5,
  memoryMiB: 0.5,
  /** Milliseconds added to a direct call of 100 B at p50. */
  addedMs: 0.3,
};

/**
 * @param {readonly Row[]} rows
 * @param {Readonly<Record<string, { idle: number }>>} memory
 */
export function printComparison(rows, memory) {
  console.log(
    "\nOurs against the better peer of each measurement: calls a second ×, p99 ×, memory ×, processor time ×",
  );
  for (const ours of rows.filter(({ target }) => target === "ours")) {
    const peers = rows.filter((row) => !OWN.has(row.target) && isBeside(row, ours) && row.refused === undefined);
    const best = (/** @type {Figure} */ figure, /** @type {(...values: number[]) => number} */ choose) =>
      figureIn(ours, figure) / choose(...peers.map((peer) => figureIn(peer, figure)));
    const rate = best("perSecond", Math.max);
    const p99 = best("p99", Math.min);
    const memoryShare = best("memoryMiB", Math.min);
    const figures = [
      formatFigure(rate, ours.sessions !== GOALS.perSecond.sessions || rate >= GOALS.perSecond.least),
      formatFigure(p99, p99 < GOALS.p99),
      formatFigure(memoryShare, memoryShare < GOALS.memoryMiB),
      formatFigure(best("cpuMsPerCall", Math.min), true),
    ];
    console.log(`${ours.sessions} × ${ours.payload}\t${figures.join("\t")}`);
  }
  const peersIdle = Object.keys(memory).filter((name) => !OWN.has(name));
  const idle = (memory.ours?.idle ?? Number.NaN) / Math.min(...peersIdle.map((name) => memory[name]?.idle ?? 0));
  console.log(`idle\t–\t–\t${formatFigure(idle, idle < GOALS.memoryMiB)}`);

  console.log("\nAdded to a direct call at p50, one session, in ms: by us, by the bare bridge");
  for (const direct of rows.filter(({ target }) => target === "direct")) {
    const [ours = Number.NaN, bare] = ["ours", "bare"].map((name) => {
      const row = rows.find((each) => each.target === name && isBeside(each, direct));
      return row === undefined ? Number.NaN : figureIn(row, "p50") - figureIn(direct, "p50");
    });
    const isMet = direct.payload !== "100 B" || ours < GOALS.addedMs;
    console.log(`${direct.payload}\t${formatFigure(ours, isMet)}\t${bare?.toPrecision(3)}`);
  }
}

/** @param {Row} a @param {Row} b */
function isBeside(a, b) {
  return a.sessions === b.sessions && a.payload === b.payload;
}

/** @param {Row} row @param {Figure} figure */
function figureIn(row, figure) {
  return row[figure] ?? Number.NaN;
}

/** @param {number} value @param {boolean} isMet */
function formatFigure(value, isMet) {
  return `${Number(value.toPrecision(3))}${isMet ? "" : " (goal missed)"}`;
}
