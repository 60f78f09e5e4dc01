/**
 * What `--format json` prints, by the words after `thv`: one example each, for the reference. `tests/json-samples.test.ts` compares
 * the examples with what the commands print, and records them. No command loads this file.
 */
import data from "./json-samples.json" with { type: "json" };

export interface JsonSample {
  readonly value: unknown;
  readonly optional?: readonly string[];
  readonly dryRun?: unknown;
}

export const JSON_SAMPLES: Readonly<Record<string, JsonSample>> = data.samples;
