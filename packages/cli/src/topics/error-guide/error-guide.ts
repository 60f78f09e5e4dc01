/**
 * What each error code means and what to do about it: the JSON files beside this one, by area. A code without its entry, or an
 * entry without its code, does not compile.
 */
import type { ErrorCode } from "@toolhive/core/errors";
import calls from "./calls.json" with { type: "json" };
import type { ErrorEntry } from "./error-entry.ts";
import machine from "./machine.json" with { type: "json" };
import secrets from "./secrets.json" with { type: "json" };
import servers from "./servers.json" with { type: "json" };
import settings from "./settings.json" with { type: "json" };

export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  ...servers.entries,
  ...machine.entries,
  ...secrets.entries,
  ...settings.entries,
  ...calls.entries,
};

interface ErrorArea {
  readonly title: string;
  readonly codes: readonly ErrorCode[];
}

/** The areas in the order in which the index page shows them. */
export const ERROR_AREAS: readonly ErrorArea[] = [
  describeArea(servers),
  describeArea(machine),
  describeArea(secrets),
  describeArea(settings),
  describeArea(calls),
];

function describeArea<Code extends ErrorCode>(area: {
  readonly title: string;
  readonly entries: Readonly<Record<Code, ErrorEntry>>;
}): ErrorArea {
  return { title: area.title, codes: Object.keys(area.entries) as Code[] };
}
