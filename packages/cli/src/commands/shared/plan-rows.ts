/** How a server is run, in rows for a person: before it runs (`thv run --dry-run`) and while it does (`thv status`). */
import type { RunPlan } from "@toolhive/core";
import { listPlanFacts, type PlanFactKind } from "@toolhive/core/plan-facts";
import { showLine } from "../../terminal/shown-text.ts";

/** A title and its value; empty where the server has none. */
export type PlanRow = readonly [title: string, value: string];

/** None: the commands have rows of their own for the image. */
const TITLES: Readonly<Record<PlanFactKind, string | undefined>> = {
  image: undefined,
  package: "Package",
  address: undefined,
  registry: "Registry",
  arguments: "Arguments",
  transport: "Transport",
  url: "URL",
  variables: "Variables",
  secret: "Secrets",
  labels: "Labels",
  folder: "Mounts",
  user: "User",
  network: "Network",
  limits: "Limits",
  file: "Files",
  sends: "Sends",
  off: "Protection",
  read_only: "Read-only",
  token: "Token",
};

/** Their values are phrases with commas. */
const PHRASES: ReadonlySet<PlanFactKind> = new Set(["file", "sends", "off"]);

/** How a server is run, without its name and its image. */
export function listPlanRows(plan: RunPlan): PlanRow[] {
  return listPlanFacts(plan).flatMap(({ kind, values }): PlanRow[] => {
    const title = TITLES[kind];
    if (title === undefined) return [];
    return [[title, values.length === 0 ? "none" : values.join(PHRASES.has(kind) ? "; " : ", ")]];
  });
}

/** One line for each row that says something, with the values below each other. */
export function formatPlanRows(rows: readonly PlanRow[]): string {
  const shown = rows.filter(([, value]) => value !== "");
  return shown.map(([title, value]) => `${`${title}:`.padEnd(12)}${showLine(value)}`).join("\n");
}
