/** Values of the operator's chart, read from the chart. Samples of pages are checked with them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** Sections whose members are values of their own; the members of others belong to Kubernetes. */
const SECTIONS: ReadonlySet<string> = new Set([
  "operator",
  "operator.rbac",
  "operator.serviceAccount",
  "operator.leaderElectionRole",
  "operator.autoscaling",
  "operator.podDisruptionBudget",
  "operator.serviceMonitor",
  "operator.networkPolicy",
]);

const file = join(import.meta.dirname, "../../../deploy/charts/toolhive-operator/values.yaml");

function listValues(value: unknown, at: string): { readonly name: string; readonly default: string }[] {
  if (at !== "" && !SECTIONS.has(at)) return [{ name: at, default: JSON.stringify(value) }];
  return Object.entries(value as Record<string, unknown>).flatMap(([member, inner]) =>
    listValues(inner, at === "" ? member : `${at}.${member}`),
  );
}

export const CHART_VALUES = listValues(parse(readFileSync(file, "utf8")), "");
