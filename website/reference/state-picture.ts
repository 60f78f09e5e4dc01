/**
 * The picture of a workload's states, made from the state machine itself: a row for each state, a column for each that may
 * follow it, a mark where the change is possible.
 */
import { canFollow, WORKLOAD_STATUSES, type WorkloadStatus } from "@toolhive/core/workload-status";

const CELL = 52;
const LEFT = 116;
const TOP = 108;
const COLOURS = {
  light: { ink: "#1b1d1f", soft: "#4d5052", line: "#e2ded3", mark: "#d99000", wash: "#f4f2ec" },
  dark: { ink: "#f0eee8", soft: "#bdbcb5", line: "#2d3135", mark: "#f2b544", wash: "#1a1d20" },
} as const;

export const STATE_PICTURE_SIZE = {
  width: LEFT + WORKLOAD_STATUSES.length * CELL + 24,
  height: TOP + WORKLOAD_STATUSES.length * CELL + 12,
} as const;

/** The states that may follow another one, in the order of the specification. */
export function listFollowers(status: WorkloadStatus): readonly WorkloadStatus[] {
  return WORKLOAD_STATUSES.filter((next) => next !== status && canFollow(status, next));
}

export function statePicture(mode: keyof typeof COLOURS): string {
  const { ink, soft, line, mark, wash } = COLOURS[mode];
  const { width, height } = STATE_PICTURE_SIZE;
  const middle = (start: number, index: number) => start + index * CELL + CELL / 2;
  const rows = WORKLOAD_STATUSES.map((status, row) => {
    const y = middle(TOP, row);
    const marks = listFollowers(status).map(
      (next) => `<circle cx="${middle(LEFT, WORKLOAD_STATUSES.indexOf(next))}" cy="${y}" r="8" fill="${mark}"/>`,
    );
    const own = `<rect x="${LEFT + row * CELL + 6}" y="${TOP + row * CELL + 6}" width="${CELL - 12}" height="${CELL - 12}" rx="6" fill="${wash}"/>`;
    const rule = `<path d="M0 ${TOP + row * CELL}H${width}" stroke="${line}"/>`;
    const label = `<text x="${LEFT - 14}" y="${y + 5}" text-anchor="end" fill="${ink}">${status}</text>`;
    const x = middle(LEFT, row);
    const head = `<text transform="translate(${x + 4} ${TOP - 14}) rotate(-45)" fill="${soft}">${status}</text>`;
    return `${rule}${own}${marks.join("")}${label}${head}`;
  });
  const words = WORKLOAD_STATUSES.map((status) => `${status}: ${listFollowers(status).join(", ")}`).join(". ");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'Geist Mono', 'DejaVu Sans Mono', monospace" font-size="14"><title>Which state of a workload may follow which</title><desc>${words}.</desc>${rows.join("")}</svg>
`;
}
