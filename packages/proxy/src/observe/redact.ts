/**
 * Removes secrets from recorded data: by member name, and by forms that only secrets have. Inspects only as much as
 * will be kept, whatever a client or a server sent.
 */
import { isRecord } from "@toolhive/http/values";

const SECRET_NAME =
  /pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|authorization|cookie|session[-_]?id|^auth$|^key$/i;

/**
 * Bearer and basic credentials, JWTs, keys in PEM form, tokens of well-known services. A beginning of each of them counts too,
 * because a text may have been cut; and because nothing has to follow, no character is read twice.
 */
const SECRET_TEXTS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gi,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /\beyJ[\w-]{8,}(?:\.[\w-]*)*/gi,
];
/** Their length is compared afterwards: an expression that counts is not provably linear in reasonable time. */
const SERVICE_TOKEN = /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|AKIA)([\w-]+)/gi;
const MIN_TOKEN_LENGTH = 10;

export const REDACTED = "[redacted]";
/** Nesting of objects; deeper values are omitted. */
const MAX_DEPTH = 16;
/** What a value costs in JSON beside its text, at least: a comma and a digit. */
const MIN_VALUE_LENGTH = 2;

export interface Redacted {
  readonly value: unknown;
  /** Whether something was omitted for length. */
  readonly isCut: boolean;
}

/** @param maxLength Characters of JSON that will be kept; the value may have up to twice as many. Default: all. */
export function redact(value: unknown, maxLength = Number.POSITIVE_INFINITY): Redacted {
  const redaction = new Redaction(maxLength);
  return { value: redaction.redactValue(value, 0), isCut: redaction.isCut };
}

function maskSecrets(text: string): string {
  const shown = SECRET_TEXTS.reduce((shown, form) => shown.replace(form, REDACTED), text);
  return shown.replace(SERVICE_TOKEN, (token, rest: string) => (rest.length < MIN_TOKEN_LENGTH ? token : REDACTED));
}

class Redaction {
  readonly #maxText: number;
  #left: number;
  isCut = false;

  constructor(maxLength: number) {
    // What is replaced is shorter afterwards, and the kept part is to be full.
    this.#maxText = 2 * maxLength;
    this.#left = 2 * maxLength;
  }

  redactValue(value: unknown, depth: number): unknown {
    this.#left -= MIN_VALUE_LENGTH;
    if (typeof value === "string") return maskSecrets(this.#redactText(value));
    if (typeof value !== "object" || value === null) return value;
    if (depth >= MAX_DEPTH) return REDACTED;
    if (Array.isArray(value)) return this.#redactList(value, depth + 1);
    return isRecord(value) ? this.#redactMembers(value, depth + 1) : value;
  }

  #redactText(text: string): string {
    const isLonger = text.length > this.#maxText;
    if (isLonger) this.isCut = true;
    const kept = isLonger ? text.slice(0, this.#maxText) : text;
    this.#left -= kept.length;
    return kept;
  }

  #redactList(items: readonly unknown[], depth: number): unknown[] {
    const kept: unknown[] = [];
    for (const item of items) {
      if (this.#isFull()) break;
      kept.push(this.redactValue(item, depth));
    }
    return kept;
  }

  #redactMembers(members: Readonly<Record<string, unknown>>, depth: number): unknown {
    const kept: [string, unknown][] = [];
    for (const name of Object.keys(members)) {
      if (this.#isFull()) break;
      kept.push([this.#redactText(name), this.#redactMember(name, members[name], depth)]);
    }
    return Object.fromEntries(kept);
  }

  /** Of a list or an object under a secret's name nothing is kept either. */
  #redactMember(name: string, member: unknown, depth: number): unknown {
    return member !== null && SECRET_NAME.test(name) ? REDACTED : this.redactValue(member, depth);
  }

  #isFull(): boolean {
    if (this.#left > 0) return false;
    this.isCut = true;
    return true;
  }
}
