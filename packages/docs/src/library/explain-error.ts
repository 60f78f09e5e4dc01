/** A code or a message becomes what it means and what to do. */
import { BRAND } from "@toolhive/core/brand";
import type { ErrorFact, MessageFact } from "../pack/docs-content.ts";
import { cleanText, listMessageLines } from "./distill-message.ts";
import type { DocsLibrary } from "./docs-library.ts";
import { type MessagePattern, matchLine, readLine, readPattern } from "./message-pattern.ts";

/** Characters of a whole text that are compared as one message. */
const MAX_COMPARED = 4_000;

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
  readonly message: string;
  readonly pattern: MessagePattern;
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
  readonly #member: RegExp;

  constructor(library: DocsLibrary) {
    this.#library = library;
    const { errors, messages } = library.content;
    const know = (message: string, error: ErrorFact | undefined, foreign?: MessageFact): KnownMessage[] => {
      const pattern = readPattern(message, BRAND.command, foreign === undefined);
      return pattern === undefined ? [] : [{ message, pattern, error, foreign }];
    };
    const findError = (code: string | undefined) => errors.find((error) => error.code === code);
    this.#known = [
      ...errors.flatMap((error) => error.messages.flatMap((message) => know(message, error))),
      ...messages.flatMap((foreign) => know(foreign.message, findError(foreign.code), foreign)),
    ];
    const counts = new Map<string, number>();
    for (const { pattern } of this.#known) {
      for (const word of new Set(pattern.words)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    this.#rarity = new Map([...counts].map(([word, count]) => [word, Math.log(1 + this.#known.length / count)]));
    // A code matches itself, also as a part of an address.
    const codes = errors.map(({ code }) => code);
    const compound = codes.filter((code) => code.includes("_")).map((code) => code.replaceAll("_", "[-_ ]"));
    this.#codes = new RegExp(`(?:^|[^A-Za-z0-9_])(${compound.join("|")})(?![A-Za-z0-9_])`);
    // Other programs have words like INTERNAL, too, so such a code has to be the member of that name.
    const words = codes.filter((code) => !code.includes("_"));
    this.#member = new RegExp(`\\b[Cc]ode["']?[:=] ?["'\`]?(${words.join("|")})(?![A-Za-z0-9_])`);
  }

  explain(given: string): Explanation | undefined {
    const cleaned = cleanText(given);
    const byCode = this.#findByCode(cleaned);
    if (byCode !== undefined) return this.#explainOwn(byCode, "");
    // A message may be printed over several lines.
    const best = this.#findByWords([...listMessageLines(given), cleaned.slice(0, MAX_COMPARED)]);
    if (best === undefined) return undefined;
    const { error, foreign, message } = best;
    if (foreign !== undefined) return this.#explainForeign(foreign, error);
    return error === undefined ? undefined : this.#explainOwn(error, message);
  }

  /** In capitals anywhere in the text; in any case where it is all of the text. */
  #findByCode(text: string): ErrorFact | undefined {
    const wanted = text.toUpperCase().replace(/[-\s]+/g, "_");
    const { errors } = this.#library.content;
    const named = (this.#codes.exec(text) ?? this.#member.exec(text))?.[1]?.replace(/[-\s]/g, "_");
    const inAddress = /\/reference\/errors\/([a-z-]{2,60})/.exec(text)?.[1]?.toUpperCase().replaceAll("-", "_");
    return errors.find(({ code }) => code === wanted || code === named || code === inAddress);
  }

  #findByWords(lines: readonly string[]): KnownMessage | undefined {
    const weigh = (word: string): number => this.#rarity.get(word) ?? 0;
    let best: { known: KnownMessage; score: number } | undefined;
    for (const line of lines.map(readLine)) {
      for (const known of this.#known) {
        const score = matchLine(known.pattern, line, weigh) ?? 0;
        if (score > (best?.score ?? 0)) best = { known, score };
      }
    }
    return best?.known;
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
