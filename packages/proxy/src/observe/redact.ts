/** Takes secrets out of what is written down: by the name of the member, and by forms that nothing else has. */
import { isRecord } from "../client-message.ts";

const SECRET_NAME =
  /pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|authorization|cookie|session[-_]?id|^auth$|^key$/i;

/** Bearer and basic credentials, JWTs, keys in PEM form, tokens of well-known services. */
const SECRET_TEXT =
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|AKIA)[\w-]{10,}/gi;

export const REDACTED = "[redacted]";
/** Objects in objects; what is deeper is left out. */
const MAX_DEPTH = 16;

export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.replace(SECRET_TEXT, REDACTED);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_NAME.test(name) && member !== null && typeof member !== "object"
        ? REDACTED
        : redactNamed(name, member, depth),
    ]),
  );
}

/** Of a list or an object under a secret's name nothing is kept. */
function redactNamed(name: string, member: unknown, depth: number): unknown {
  if (SECRET_NAME.test(name) && typeof member === "object" && member !== null) return REDACTED;
  return redact(member, depth + 1);
}
