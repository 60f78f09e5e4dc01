/** Makes a table of times from the messages of `npm start` about its steps. */

/** @typedef {{ title: string, time: string }} Step */

/**
 * @param {string} line Of the output of `npm start`.
 * @returns {Step | undefined} `undefined` for a line about anything else than a finished step, or the end of all.
 */
export function readStep(line) {
  const [, title, time] = /^✓ (.+?)(?: \(\S.*\))? (\d[\w. ]*)$/.exec(line) ?? [];
  if (title !== undefined && time !== undefined) return { title, time };
  const [, whole] = /^\s*Ready after (.+?)\. /.exec(line) ?? [];
  return whole === undefined ? undefined : { title: READY, time: whole };
}

export const READY = "Both addresses answer";

/** @typedef {{ name: string, load: number, steps: readonly Step[] }} Run `load`: of the minute before it. */

/**
 * @param {{ machine: string, date: string, revision: string, runs: readonly Run[] }} measured
 * @returns {string} Markdown.
 */
export function formatStartTimes({ machine, date, revision, runs }) {
  const titles = [...new Set(runs.flatMap(({ steps }) => steps.map(({ title }) => title)))];
  const inOrder = [...titles.filter((title) => title !== READY), READY];
  const row = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const lines = [
    row(["Step", ...runs.map(({ name, load }) => `${name} (load before it: ${load.toFixed(1)})`)]),
    row(["---", ...runs.map(() => "---:")]),
    ...inOrder.map((title) =>
      row([title, ...runs.map(({ steps }) => steps.find((step) => step.title === title)?.time ?? "")]),
    ),
  ];
  return `# Times of \`npm start\`

Measured by \`npm run bench -- start\` on ${date} at revision ${revision}: ${machine}. Steps overlap: \`thv\` and the site are built at the
same time.

${lines.join("\n")}
`;
}
