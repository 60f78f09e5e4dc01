/** Links that install a server in a client, by Cursor, VS Code, Visual Studio, LM Studio, Kiro, Goose and others. */
import { isRecord, parseJson } from "@toolhive/http/values";
import type { FoundServer } from "../client-import/find-servers.ts";
import { readSettings } from "./read-settings.ts";

export type ReadLink = readonly FoundServer[] | { readonly problem: string };

/** Pages that pass on to a client, by host and the end of the path. */
const PAGES: readonly (readonly [host: RegExp, path: RegExp])[] = [
  [/^(?:www\.)?cursor\.com$/, /\/(?:install-mcp|mcp\/install)\/?$/],
  [/^(?:insiders\.)?vscode\.dev$/, /^\/redirect(?:\/mcp\/install)?\/?$/],
  [/^vs-open\.link$/, /^\/mcp-install\/?$/],
  [/^(?:www\.)?lmstudio\.ai$/, /^\/install-mcp\/?$/],
  [/^(?:www\.)?kiro\.dev$/, /^\/launch\/mcp\/add\/?$/],
];
const NO_SERVER = { problem: "the link holds no server that can be read" };

/** @returns `undefined` for a text that is no link of this kind, such as the address of a remote server. */
export function readLink(text: string, depth = 0): ReadLink | undefined {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text) || /^(?:npx|uvx|go):/.test(text) || !URL.canParse(text)) return undefined;
  const link = new URL(text);
  const isPage = /^https?:$/.test(link.protocol);
  if (isPage && !PAGES.some(([host, path]) => host.test(link.hostname) && path.test(link.pathname))) return undefined;
  if (!isPage && !/mcp|extension/.test(`${link.host}${link.pathname}`)) return undefined;
  const passedOn = isPage ? link.searchParams.get("url") : null;
  // A whole link is one value of this query. A number sign in it belongs to its settings.
  if (passedOn !== null && depth < 2) return readLink(passedOn.replaceAll("#", "%23"), depth + 1) ?? NO_SERVER;
  if (link.protocol === "goose:") return readGoose(link.searchParams);
  return readQuery(link);
}

function readQuery(link: URL): ReadLink {
  const config = link.searchParams.get("config");
  const value = config === null ? parseEncoded(link.search.slice(1)) : parseConfig(config);
  const inputs = parseEncoded(link.searchParams.get("inputs") ?? "");
  const settings = isRecord(value) && Array.isArray(inputs) ? { ...value, inputs } : value;
  const found = isRecord(settings) ? readSettings(settings) : undefined;
  if (found === undefined || found.length === 0) return NO_SERVER;
  const name = link.searchParams.get("name") ?? "";
  return found.map((each) => (each.name === "" ? { ...each, name } : each));
}

/** Goose writes the members of an entry into the query itself. */
function readGoose(query: URLSearchParams): ReadLink {
  const [command, url] = [query.get("cmd"), query.get("url")];
  if (command === null && url === null) return NO_SERVER;
  const variables = query.getAll("env").map((each) => {
    const [name = "", ...rest] = each.split("=");
    return [name, rest.join("=")] as const;
  });
  const settings = {
    ...(command === null ? { url } : { command, args: query.getAll("arg").flatMap((arg) => arg.split(" ")) }),
    ...(variables.length > 0 && { env: Object.fromEntries(variables) }),
  };
  return [{ name: query.get("id") ?? query.get("name") ?? "", settings, inputs: new Map() }];
}

/** JSON, or JSON as base64, of which a query has made blanks from plus signs. */
function parseConfig(text: string): unknown {
  const plain = parseEncoded(text);
  if (plain !== undefined) return plain;
  try {
    const bytes = atob(text.replaceAll(" ", "+").replaceAll("-", "+").replaceAll("_", "/"));
    return parseEncoded(new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

/** JSON, or JSON in the form of an address. */
function parseEncoded(text: string): unknown {
  try {
    return parseJson(text) ?? parseJson(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}
