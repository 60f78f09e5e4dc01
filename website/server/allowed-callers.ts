/**
 * Who may speak to the MCP server from a browser. The pages are public; what is kept out is a web page that reaches a site on its
 * reader's own machine or network under a name of its own (DNS rebinding).
 */
import { isIP } from "node:net";
import { isLoopback, parseAuthority } from "@toolhive/http";

export interface CallerRules {
  /** Where the site says it is. */
  readonly siteUrl: string;
  /** Other names under which it may be asked. */
  readonly hosts: readonly string[];
}

interface CallerHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** @returns Why a request is refused; `undefined` for one that is not. */
export function findRefusal({ host, origin }: CallerHeaders, rules: CallerRules): string | undefined {
  const asked = host === undefined ? undefined : parseAuthority(host)?.name;
  if (asked === undefined || !isOwnName(asked, rules)) {
    return `The MCP server does not answer as "${(host ?? "").slice(0, 100)}". Ask it at ${rules.siteUrl}, or name the host in MCP_HOSTS.`;
  }
  // Programs send none.
  if (origin === undefined) return undefined;
  const page = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = page?.protocol === "https:" || page?.protocol === "http:";
  if (page !== undefined && isWeb) {
    if (isLoopback(page.hostname) || isOwnName(page.hostname.toLowerCase(), rules)) return undefined;
    // A site on this machine is for programs and pages of this machine.
    if (page.protocol === "https:" && !isLoopback(asked)) return undefined;
  }
  return `Pages of "${origin.slice(0, 100)}" may not ask the MCP server at "${asked}".`;
}

/** A number is no name that somebody else could have pointed here. */
function isOwnName(name: string, { siteUrl, hosts }: CallerRules): boolean {
  return (
    isIP(name.replace(/^\[|\]$/g, "")) !== 0 ||
    isLoopback(name) ||
    name === new URL(siteUrl).hostname ||
    hosts.includes(name)
  );
}
