/** A code or a message becomes what it means and what to do. */
import { fold, isStopWord, tokenize } from "@toolhive/search/offline";
import type { ErrorFact, MessageFact } from "../pack/docs-content.ts";
import { cleanText, listMessageLines } from "./distill-message.ts";
import type { DocsLibrary } from "./docs-library.ts";

/** Part of a known message's words that a text has to have, weighed by how rare each is among the messages. */
const LEAST_COVERAGE = 0.62;
/** Words that a known message has to share with a text; one alone says little. */
const LEAST_WORDS = 2;
/** Up to this many, they have to be a part of the line. */
const FEW_WORDS = 3;
const LEAST_PART = 0.5;
const VALUE = "…";

export interface Explanation {
  /** Of ours, or the program whose message it is. */
  readonly name: string;
  /** The known message that the text has; empty where a code was named. */
  readonly message: string;
  readonly meaning: string;
  readonly causes: readonly string[];
  readonly remedies: readonly { readonly say: string; readonly command?: string }[];
  readonly path: string;
  readonly address: string;
  /** Of `thv`, for an error of ours. */
  readonly exitCode?: number;
}

interface KnownMessage {
  readonly words: ReadonlySet<string>;
  readonly weight: number;
  readonly error: ErrorFact | undefined;
  readonly foreign: MessageFact | undefined;
}

/** Made once for each library: it is the same for every text. */
const tables = new WeakMap<DocsLibrary, MessageTable>();

/** @returns `undefined` where nothing that is known fits. */
export function explainError(library: DocsLibrary, given: string): Explanation | undefined {
  let table = tables.get(library);
  if (table === undefined) {
    table = new MessageTable(library);
    tables.set(library, table);
  }
  return table.explain(given);
}

class MessageTable {
  readonly #library: DocsLibrary;
  readonly #known: readonly KnownMessage[];
  readonly #rarity: ReadonlyMap<string, number>;
  readonly #codes: RegExp;

  constructor(library: DocsLibrary) {
    this.#library = library;
    const { errors, messages } = library.content;
    const all = [
      ...errors.flatMap((error) =>
        error.messages.map((message) => ({ words: collectWords(message), error, foreign: undefined })),
      ),
      ...messages.map((foreign) => ({
        words: collectWords(foreign.message),
        error: errors.find(({ code }) => code === foreign.code),
        foreign,
      })),
    ].filter(({ words }) => words.size > 0);
    const counts = new Map<string, number>();
    for (const { words } of all) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    this.#rarity = new Map([...counts].map(([word, count]) => [word, Math.log(1 + all.length / count)]));
    this.#known = all.map((known) => ({ ...known, weight: this.#weigh(known.words) }));
    // A code matches itself, also as a part of an address.
    const codes = errors.map(({ code }) => code.replaceAll("_", "[-_ ]"));
    this.#codes = new RegExp(`(?:^|[^A-Za-z0-9_])(${codes.join("|")})(?![A-Za-z0-9_])`);
  }

  explain(given: string): Explanation | undefined {
    const cleaned = cleanText(given);
    const byCode = this.#findByCode(cleaned);
    if (byCode !== undefined) return this.#explainOwn(byCode, "");
    const best = this.#findByWords(listMessageLines(given));
    if (best === undefined) return undefined;
    const { error, foreign } = best;
    if (foreign !== undefined) return this.#explainForeign(foreign, error);
    return error === undefined
      ? undefined
      : this.#explainOwn(error, [...error.messages].find((message) => isSame(collectWords(message), best.words)) ?? "");
  }

  /** In capitals anywhere in the text; in any case where it is all of the text. */
  #findByCode(text: string): ErrorFact | undefined {
    const wanted = text.toUpperCase().replace(/[-\s]+/g, "_");
    const { errors } = this.#library.content;
    const named = this.#codes.exec(text)?.[1]?.replace(/[-\s]/g, "_");
    const inAddress = /\/reference\/errors\/([a-z-]{2,60})/.exec(text)?.[1]?.toUpperCase().replaceAll("-", "_");
    return errors.find(({ code }) => code === wanted || code === named || code === inAddress);
  }

  #findByWords(lines: readonly string[]): KnownMessage | undefined {
    let best: { known: KnownMessage; score: number } | undefined;
    for (const line of lines) {
      const words = collectWords(line);
      for (const known of this.#known) {
        const shared = [...known.words].filter((word) => words.has(word));
        if (shared.length < Math.min(LEAST_WORDS, known.words.size)) continue;
        // Few words prove little beside many others.
        if (shared.length <= FEW_WORDS && shared.length < words.size * LEAST_PART) continue;
        const found = this.#weigh(shared);
        const coverage = found / known.weight;
        if (coverage < LEAST_COVERAGE) continue;
        // Of two complete matches, the longer one.
        const score = coverage * coverage * Math.sqrt(found);
        if (score > (best?.score ?? 0)) best = { known, score };
      }
    }
    return best?.known;
  }

  #weigh(words: Iterable<string>): number {
    let sum = 0;
    for (const word of words) sum += this.#rarity.get(word) ?? 0;
    return sum;
  }

  #explainOwn({ code, short, what, why, remedies, exit, path }: ErrorFact, message: string): Explanation {
    return {
      name: `${code}: ${short}`,
      message,
      meaning: what,
      causes: why,
      remedies,
      path,
      address: this.#library.formatAddress(path),
      exitCode: exit,
    };
  }

  #explainForeign({ message, program, means, remedy, path }: MessageFact, error: ErrorFact | undefined): Explanation {
    return {
      name: error === undefined ? program : `${program}, with ${error.code}: ${error.short}`,
      message,
      meaning: means,
      causes: error?.why ?? [],
      remedies: [{ say: remedy }, ...(error?.remedies ?? [])],
      path,
      address: this.#library.formatAddress(path),
      ...(error !== undefined && { exitCode: error.exit }),
    };
  }
}

function collectWords(message: string): Set<string> {
  const words = new Set<string>();
  tokenize(fold(message.replaceAll(VALUE, " ")), (term, _start, _end, _position, kind) => {
    if (kind !== "whole" && kind !== "identifier" && !isStopWord(term)) words.add(term);
  });
  return words;
}

function isSame(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.size === right.size && [...left].every((word) => right.has(word));
}
