/** The settings of a cluster, from the environment: the addresses may hold a password. */
import { OpenSearchError } from "./open-search-error.ts";

export interface OpenSearchSettings {
  readonly urls: readonly string[];
  readonly alias: string;
  /** For one search, in milliseconds. */
  readonly deadlineMs: number;
}

/** As long as the site's client waits for an answer. */
const DEFAULT_DEADLINE_MS = 2_000;
const MAX_DEADLINE_MS = 60_000;
/** Lower case, and no sign that a path or a list of indices would read as its own. */
const ALIAS = /^[a-z0-9][a-z0-9_.-]{0,199}$/;

/**
 * @param environment `SEARCH_OPENSEARCH_URLS`, `SEARCH_OPENSEARCH_ALIAS`, `SEARCH_OPENSEARCH_DEADLINE_MS`.
 * @param indexName Name of the alias where none is set.
 * @returns Undefined where no address is set.
 * @throws {OpenSearchError} Names the setting that cannot be used, and what could be.
 */
export function readOpenSearchSettings(
  environment: Readonly<Record<string, string | undefined>>,
  indexName: string,
): OpenSearchSettings | undefined {
  const urls = (environment.SEARCH_OPENSEARCH_URLS ?? "").split(",").map((url) => url.trim());
  const given = urls.filter((url) => url !== "");
  if (given.length === 0) return undefined;
  const alias = environment.SEARCH_OPENSEARCH_ALIAS || indexName;
  if (!ALIAS.test(alias)) {
    throw new OpenSearchError(
      `SEARCH_OPENSEARCH_ALIAS is "${alias}": use lower-case letters, digits, dots, dashes and underscores`,
    );
  }
  const text = environment.SEARCH_OPENSEARCH_DEADLINE_MS || String(DEFAULT_DEADLINE_MS);
  const deadlineMs = Number(text);
  if (!Number.isInteger(deadlineMs) || deadlineMs < 1 || deadlineMs > MAX_DEADLINE_MS) {
    throw new OpenSearchError(
      `SEARCH_OPENSEARCH_DEADLINE_MS is "${text}": use milliseconds from 1 to ${MAX_DEADLINE_MS}`,
    );
  }
  return { urls: given, alias, deadlineMs };
}
