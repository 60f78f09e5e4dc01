/** The curve as a picture: time of a search over the number of records, both axes logarithmic. Follows light and dark. */
import { escapeHtml } from "@toolhive/http/values";
import type { Measurement } from "./measure.ts";

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 76;
const RIGHT = 150;
const TOP = 28;
const BOTTOM = 56;

interface Line {
  readonly name: string;
  readonly className: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** Powers of ten from at most the least to at least the most. */
function decades(values: readonly number[]): number[] {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
}

function formatCount(count: number): string {
  return count >= 1e6 ? `${count / 1e6}M` : count >= 1e3 ? `${count / 1e3}k` : String(count);
}

/** An SVG document with a title and a description that says what the picture shows. */
export function plotCurve(curve: readonly Measurement[]): string {
  const createLine = (
    name: string,
    className: string,
    engine: Measurement["engine"],
    value: (row: Measurement) => number,
  ): Line => ({
    name,
    className,
    points: curve.filter((row) => row.engine === engine).map((row) => ({ x: row.records, y: value(row) })),
  });
  const lines = [
    createLine("ours, p50", "own", "own", (row) => row.p50Ms),
    createLine("ours, p99", "own late", "own", (row) => row.p99Ms),
    createLine("MiniSearch, p50", "rival", "minisearch", (row) => row.p50Ms),
    createLine("MiniSearch, p99", "rival late", "minisearch", (row) => row.p99Ms),
  ].filter(({ points }) => points.length > 0);
  const xTicks = decades(lines.flatMap(({ points }) => points.map(({ x }) => x)));
  const yTicks = decades(lines.flatMap(({ points }) => points.map(({ y }) => y)));
  const scale = (value: number, ticks: readonly number[], from: number, to: number): number => {
    const low = Math.log10(ticks[0] ?? 1);
    const span = Math.log10(ticks.at(-1) ?? 10) - low || 1;
    return Math.round((from + ((Math.log10(value) - low) / span) * (to - from)) * 10) / 10;
  };
  const x = (value: number): number => scale(value, xTicks, LEFT, WIDTH - RIGHT);
  const y = (value: number): number => scale(value, yTicks, HEIGHT - BOTTOM, TOP);
  const description = lines
    .map(
      ({ name, points }) =>
        `${name}: ${points.map((point) => `${point.y.toFixed(2)} ms at ${formatCount(point.x)}`).join(", ")}`,
    )
    .join(". ");

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title description">
<title id="title">Time of a search by number of records</title>
<desc id="description">${escapeHtml(description)}.</desc>
<style>
text { font: 13px system-ui, sans-serif; fill: #1c1e21 }
.grid { stroke: #d5d8dc } .own { stroke: #0b6e5f } .rival { stroke: #a3480b }
.line { fill: none; stroke-width: 2.5 } .late { stroke-dasharray: 7 5 }
@media (prefers-color-scheme: dark) { text { fill: #e3e3e3 } .grid { stroke: #444950 } .own { stroke: #4fd1b8 } .rival { stroke: #f0a35e } }
</style>
${xTicks.map((tick) => `<line class="grid" x1="${x(tick)}" y1="${TOP}" x2="${x(tick)}" y2="${HEIGHT - BOTTOM}"/><text x="${x(tick)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${formatCount(tick)}</text>`).join("\n")}
${yTicks.map((tick) => `<line class="grid" x1="${LEFT}" y1="${y(tick)}" x2="${WIDTH - RIGHT}" y2="${y(tick)}"/><text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${Number(tick.toPrecision(1))} ms</text>`).join("\n")}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">records</text>
${lines
  .map(({ name, className, points }) => {
    const last = points.at(-1) ?? { x: 1, y: 1 };
    const path = points.map((point) => `${x(point.x)},${y(point.y)}`).join(" ");
    return `<polyline class="line ${className}" points="${path}"/><text x="${x(last.x) + 8}" y="${y(last.y) + 4}">${name}</text>`;
  })
  .join("\n")}
</svg>
`;
}
