/** Finds numbers in JSON that JavaScript cannot hold as they are written: another parser may keep all their digits. */
import { skipString } from "../messages/json-scanner.ts";

const QUOTE = 0x22;
/** Without one of these, each number is short enough. */
const CANDIDATE = /\d{16}|[\d.]{17}|\d[eE]/;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Digits of a number that are read; a longer one cannot be held. */
const MAX_DIGITS = 400;

/** @param text Valid JSON. */
export function hasInexactNumbers(text: Buffer): boolean {
  if (!CANDIDATE.test(text.toString("latin1"))) return false;
  for (let index = 0; index < text.length; ) {
    const byte = text[index] ?? 0;
    if (byte === QUOTE) {
      index = skipString(text, index);
      if (index < 0) return true;
      continue;
    }
    if (!isDigit(byte)) {
      index++;
      continue;
    }
    let end = index + 1;
    while (isNumberByte(text[end] ?? 0)) end++;
    if (!isExact(text.toString("latin1", index, end))) return true;
    index = end;
  }
  return false;
}

function isExact(written: string): boolean {
  if (written.length > MAX_DIGITS) return false;
  return format(written) === format(String(Number(written)));
}

/** The same text for the same value: digits without zeros at either end, and where the point is. */
function format(written: string): string | undefined {
  const match = NUMBER.exec(written);
  if (!match) return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  let end = digits.length;
  while (digits.charAt(end - 1) === "0") end -= 1;
  const significant = digits.slice(0, end);
  if (significant === "") return "0";
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** A digit, `.`, `e`, `E`, `+` or `-`. */
function isNumberByte(byte: number): boolean {
  return isDigit(byte) || byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === 0x2d;
}
