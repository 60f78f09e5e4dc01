/** What is drawn for a server without an image of its own: the same letters and color for the same name, everywhere. */

interface DrawnIcon {
  /** One or two letters or digits, in upper case. */
  readonly letters: string;
  /** Degrees on the color wheel. */
  readonly hue: number;
}

/** Hues on the color wheel, few enough that two neighbours look different. */
const HUES = 15;
const MAX_LENGTH = 200;

export function drawIcon(name: string): DrawnIcon {
  const short = name.slice(0, MAX_LENGTH);
  // Of `io.github.someone/fetch`, the namespace is the same for many.
  const own = short.slice(short.lastIndexOf("/") + 1);
  const words = own.match(/[\p{L}\p{N}]+/gu) ?? [];
  // Many servers are called mcp-something or something-mcp-server: these words say nothing about one.
  const telling = words.filter((word) => !["mcp", "server"].includes(word.toLowerCase()));
  const [first = "", second = ""] = telling.length > 0 ? telling : words;
  const [one = "?", two = ""] = first;
  const [initial = two] = second;
  return { letters: (one + initial).toUpperCase(), hue: (hash(short) % HUES) * (360 / HUES) };
}

/** FNV-1a with 32 bits: short names that differ in one letter get other colors. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  // The low bits of short names alone are much alike.
  return (value ^ (value >>> 15)) >>> 0;
}
