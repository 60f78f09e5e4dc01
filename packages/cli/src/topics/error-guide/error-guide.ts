/** What each error code means and what to do about it, by area. A code without its entry does not compile. */
import type { ErrorCode } from "@toolhive/core/errors";
import { CALLS } from "./calls.ts";
import type { ErrorEntry } from "./error-entry.ts";
import { MACHINE } from "./machine.ts";
import { SECRETS } from "./secrets.ts";
import { SERVERS } from "./servers.ts";
import { SETTINGS } from "./settings.ts";

export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  ...SERVERS,
  ...MACHINE,
  ...SECRETS,
  ...SETTINGS,
  ...CALLS,
};

/** The areas in the order in which the index page shows them. */
export const ERROR_AREAS: readonly { readonly title: string; readonly codes: readonly ErrorCode[] }[] = [
  { title: "Servers and images", codes: codesOf(SERVERS) },
  { title: "Engine, supervisor and files", codes: codesOf(MACHINE) },
  { title: "Secrets", codes: codesOf(SECRETS) },
  { title: "Clients, registry and settings", codes: codesOf(SETTINGS) },
  { title: "Commands and requests", codes: codesOf(CALLS) },
];

function codesOf<Code extends ErrorCode>(entries: Readonly<Record<Code, ErrorEntry>>): Code[] {
  return Object.keys(entries) as Code[];
}
