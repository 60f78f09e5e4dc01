/**
 * What the configuration and the sidebar print of the tool. The build writes it before Docusaurus starts
 * (`reference/main.ts`), because Docusaurus compiles each imported file of a configuration by itself: with the tool's
 * packages among them that took as long as building the pages.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { CONSTANTS } from "./constants.ts";

export interface SiteFacts {
  /** Of `thv`, without a `v`. */
  readonly version: string;
  readonly constants: typeof CONSTANTS;
  /** Words after `thv` of each command and group that `thv --help` lists, sorted. */
  readonly commandPaths: readonly (readonly string[])[];
  /** The id of each page of the API reference, in their order. */
  readonly apiPages: readonly string[];
  /** The id of the page of each kind of Kubernetes resource, in their order. */
  readonly resourcePages: readonly string[];
  /** The id of the page of each error code, sorted by code. */
  readonly errorPages: readonly string[];
}

/** Relative to the website's folder. */
export const SITE_FACTS_FILE = "src/generated/site-facts.json";

/** @throws {Error} When the build has not written it yet. */
export function readSiteFacts(): SiteFacts {
  const file = path.join(__dirname, "..", SITE_FACTS_FILE);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as SiteFacts;
  } catch (error) {
    throw new Error(`website/${SITE_FACTS_FILE} cannot be read. Write it: npm run build -w @toolhive/website`, {
      cause: error,
    });
  }
}
