/**
 * The choice of the tools that an endpoint offers, and the names and descriptions under which it does. Names are compared
 * exactly, and always as clients see them; the server receives its own.
 */
import { findNearest, type ToolOverrides } from "@toolhive/core";
import { isRecord } from "@toolhive/http/values";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { readEnvelope } from "../messages/json-rpc.ts";
import { findMembers, findPath, splice } from "../messages/json-scanner.ts";
import { findPage } from "../messages/lists/list-pages.ts";
import type { CallRules } from "./call-rules.ts";
import { filterLists } from "./list-filter.ts";
import { readPolicyQueries } from "./policy-query.ts";

/** Names that are kept. */
const MAX_LISTED_NAMES = 10_000;

/** The names of a server's tools, as they pass in lists, whatever of them is offered. */
export class ListedTools {
  #names: readonly string[] | undefined;
  /** Of the pages of a list that continues. */
  #begun = new Set<string>();

  /** @returns `undefined` until a list has passed whole. Pages of two lists at a time are taken for one. */
  get names(): readonly string[] | undefined {
    return this.#names;
  }

  /** A page has passed. @param isLast Whether no page follows. */
  record(names: readonly string[], isLast: boolean): void {
    for (const name of names) if (this.#begun.size < MAX_LISTED_NAMES) this.#begun.add(name);
    if (!isLast) return;
    this.#names = [...this.#begun];
    this.#begun = new Set();
  }

  forget(): void {
    this.#names = undefined;
    this.#begun = new Set();
  }
}

export interface ToolChoiceOptions {
  /** Default: all. */
  readonly tools?: readonly string[] | undefined;
  /** By the server's own names. Default: none. */
  readonly overrides?: ToolOverrides | undefined;
  /** Keeps the names of lists that pass. */
  readonly listed?: ListedTools | undefined;
  /** Whether a refusal may name tools that are offered: nothing else hides any. Default false. */
  readonly mayGuess?: (() => boolean) | undefined;
}

const CALL = "tools/call";
/** Names among which a refusal searches for the one that was meant. */
const MAX_GUESSED = 100;
/** Entries of one list: all that the servers of a large group offer together. A name is found in no time, unlike a policy's answer. */
const MAX_ENTRIES = 100_000;

export class ToolChoice implements CallRules {
  readonly #tools: ReadonlySet<string> | undefined;
  readonly #overrides: ReadonlyMap<string, { readonly name: string; readonly description: string | undefined }>;
  /** The server's own names, by those that replace them. */
  readonly #renamed = new Map<string, string>();
  readonly #listed: ListedTools | undefined;
  readonly #mayGuess: () => boolean;

  constructor({ tools, overrides = {}, listed, mayGuess = () => false }: ToolChoiceOptions) {
    this.#tools = tools && new Set(tools);
    this.#listed = listed;
    this.#mayGuess = mayGuess;
    this.#overrides = new Map(
      Object.entries(overrides).map(([own, { name = own, description }]) => [own, { name, description }]),
    );
    for (const [own, { name }] of this.#overrides) if (name !== own) this.#renamed.set(name, own);
  }

  findRefusal(_caller: Caller, message: ClientMessage): string | undefined {
    if (message.envelope.method !== CALL) return undefined;
    const asked = readPolicyQueries(message);
    if (asked.kind === "free") return undefined;
    // The server might read another name than the one that is compared.
    if (asked.kind === "refuse") return asked.reason;
    const other = asked.queries.find(({ name }) => this.#findOwnName(name) === undefined);
    return other && this.#describeRefusal(other.name.slice(0, 200));
  }

  /** The same for a hidden tool and for one that does not exist, so that clients cannot learn which are hidden. */
  #describeRefusal(name: string): string {
    const offered = this.#mayGuess() ? [...(this.#tools ?? [])].slice(0, MAX_GUESSED) : [];
    const meant = findNearest(name, offered);
    const guess = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    return `No tool "${name}": it does not exist, or it is not offered here.${guess}`;
  }

  /** @param own The server's own name. */
  offers(own: string): boolean {
    return this.#findShownName(own) !== undefined;
  }

  /** @param own The server's own name. @returns What clients see of it, or would see. */
  rename(own: string): string {
    return this.#overrides.get(own)?.name ?? own;
  }

  rewrite(message: ClientMessage): ClientMessage {
    const { envelope, params } = message;
    if (envelope.method !== CALL || typeof params.name !== "string") return message;
    const own = this.#renamed.get(params.name);
    return own === undefined ? message : replaceCalledName(message, own);
  }

  filter(_caller: Caller, response: Buffer): Buffer {
    const names: string[] = [];
    const isOffered = (action: string, own: string): boolean => {
      if (action !== "call_tool") return true;
      if (this.#listed !== undefined) names.push(own);
      return this.#findShownName(own) !== undefined;
    };
    const show = this.#overrides.size === 0 ? undefined : (element: Buffer, own: string) => this.#show(element, own);
    const filtered = filterLists(response, isOffered, show, MAX_ENTRIES);
    if (names.length > 0) this.#listed?.record(names, findPage(response, "tools").nextCursor === undefined);
    return filtered;
  }

  /** @returns `undefined` when it is not offered. */
  #findOwnName(shown: string): string | undefined {
    if (this.#tools?.has(shown) === false) return undefined;
    const own = this.#renamed.get(shown);
    if (own !== undefined) return own;
    // A name that was replaced is no name any more.
    return (this.#overrides.get(shown)?.name ?? shown) === shown ? shown : undefined;
  }

  #findShownName(own: string): string | undefined {
    const shown = this.#overrides.get(own)?.name ?? own;
    return this.#findOwnName(shown) === own ? shown : undefined;
  }

  /** @param element One tool. */
  #show(element: Buffer, own: string): Buffer {
    const override = this.#overrides.get(own);
    const found = findMembers(element, 0, ["name", "description"]);
    const [name, description] = found?.spans ?? [];
    if (override === undefined || name === undefined) return element;
    const edits = [{ span: name, bytes: Buffer.from(JSON.stringify(override.name)) }];
    if (override.description !== undefined) {
      const text = JSON.stringify(override.description);
      if (description !== undefined) edits.push({ span: description, bytes: Buffer.from(text) });
      else edits.push({ span: { start: name.end, end: name.end }, bytes: Buffer.from(`,"description":${text}`) });
    }
    return splice(element, edits);
  }
}

/** The same call of a tool with another name. @throws {Error} When it has no name, or two. */
export function replaceCalledName(message: ClientMessage, name: string): ClientMessage {
  return replaceParameter(message, ["name"], name);
}

/** The same message with another text in its parameters. @throws {Error} When the member is not there once. */
export function replaceParameter(message: ClientMessage, path: readonly string[], value: string): ClientMessage {
  const { envelope, params, progressToken } = message;
  const span = envelope.params && findPath(envelope.text, envelope.params.start, path);
  const text = span && splice(envelope.text, [{ span, bytes: Buffer.from(JSON.stringify(value)) }]);
  const changed = text && readEnvelope(text);
  if (changed?.params === undefined) throw new Error(`a request lost its ${path.join(".")}`);
  const token = progressToken && findPath(changed.text, changed.params.start, ["_meta", "progressToken"]);
  // Without the token's new position the server would receive the client's own token.
  if ((token === undefined) !== (progressToken === undefined)) throw new Error("a request lost its progress token");
  return { envelope: changed, params: setParameter(params, path, value), progressToken: token };
}

function setParameter(
  params: Readonly<Record<string, unknown>>,
  [first = "", ...rest]: readonly string[],
  value: string,
): Record<string, unknown> {
  const inner = params[first];
  return { ...params, [first]: rest.length > 0 && isRecord(inner) ? setParameter(inner, rest, value) : value };
}
