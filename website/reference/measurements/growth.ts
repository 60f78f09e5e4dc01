/** How the cost of the same work grows with its size: the measured exponents. */
import { GROWTH_RESULTS as growth } from "@toolhive/cli/facts/results";
import { SEARCH_BENCH_RESULTS as search } from "@toolhive/search/facts/results";
import { fence, table } from "../markdown.ts";
import { round } from "./names.ts";

/** A row with a higher exponent gives the reason. */
export const HIGHEST_EXPONENT = 1.05;

interface GrowthRow {
  readonly of: string;
  readonly work: string;
  readonly sizes: readonly number[];
  readonly cpuMs: readonly number[];
  readonly exponent: number;
  readonly reason?: string;
}

/** Each size is ten times the one before. */
const STEP = 10;
const WHY_BUILD =
  "The words and their occurrences outgrow the caches of the processor. In the profiles of 100,000 and 1,000,000 records, ten times as many take 27 times as long to find their words in the dictionary, and 31 times as long to sort; garbage collection is no more than a tenth.";

export const GROWTH_ROWS: readonly GrowthRow[] = [...growth.rows, ...listRecordRows()];

/** The search's own benchmark has measured them, each size once. */
function listRecordRows(): GrowthRow[] {
  const curve = search.curve.filter(({ engine }) => engine === "own").slice(-3);
  const sizes = curve.map(({ records }) => records);
  const write = (work: string, cpuMs: readonly number[]): GrowthRow => {
    return { of: "records of the search", work, sizes, cpuMs, exponent: Math.max(...findExponents(cpuMs)) };
  };
  const build = write(
    "Build the index",
    curve.map(({ buildMs }) => buildMs),
  );
  return [
    { ...build, reason: WHY_BUILD },
    write(
      "The median query",
      curve.map(({ p50Ms }) => p50Ms),
    ),
  ];
}

function findExponents(costs: readonly number[]): number[] {
  return costs.slice(1).map((cost, index) => Math.log(cost / (costs[index] ?? Number.NaN)) / Math.log(STEP));
}

export function writeGrowth(): string[] {
  const { machine } = growth;
  const [before, after] = machine.load;
  const reasons = GROWTH_ROWS.filter(({ exponent }) => exponent > HIGHEST_EXPONENT);
  return [
    "### Growth {#growth}",
    `The benchmark repeats each piece of work with 10 and 100 times as many sessions, workloads, servers of a group, tools or log lines, and counts the processor time of ToolHive's process, without the clients and without a container engine. An exponent of 1 means that ten times as many cost ten times as much, 0 that the number makes no difference. The table shows the exponent of both steps, from the best of five runs of equal length for each number, on ${machine.cores} cores (${machine.cpu}, Node ${machine.node}), with a load of ${before} before and ${after} after the run. The numbers of records are those of the [benchmark of the search](#search), where a query's time is that of the clock.`,
    table(
      ["Number of", "Work", "Numbers", "CPU, ms", "Exponents"],
      GROWTH_ROWS.map(({ of, work, sizes, cpuMs }) => [
        of,
        work,
        sizes.map((size) => size.toLocaleString("en-US")).join(" / "),
        cpuMs.map(round).join(" / "),
        findExponents(cpuMs)
          .map((exponent) => exponent.toFixed(2))
          .join(" / "),
      ]),
    ),
    ...(reasons.length === 0 ? [`No exponent is above ${HIGHEST_EXPONENT}.`] : [listReasons(reasons)]),
    fence("bash", 'norun="Takes minutes"', "npm run bench -- growth"),
  ];
}

function listReasons(rows: readonly GrowthRow[]): string {
  const lines = rows.map(
    ({ of, work, exponent, reason }) => `- ${of}, ${lower(work)} (${exponent.toFixed(2)}): ${reason}`,
  );
  return [`Why an exponent is above ${HIGHEST_EXPONENT}:\n`, ...lines].join("\n");
}

function lower(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
