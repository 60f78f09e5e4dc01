/** Names of tools that a reader, or a model, could take for one another. */

/** Letters of other alphabets, and digits, that look like a small Latin letter in usual fonts. */
const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аɑα",
    b: "ЬƄ",
    c: "сϲⅽ",
    d: "ԁⅾ",
    e: "еҽє",
    g: "ɡց",
    h: "һհ",
    i: "іıɩι",
    j: "јϳ",
    k: "кκ",
    l: "ӏ1|ǀⅼ",
    m: "мⅿ",
    n: "ոп",
    o: "оοօ0",
    p: "рρ",
    q: "ԛգ",
    r: "гᴦ",
    s: "ѕꜱ5",
    t: "тτ",
    u: "սυц",
    v: "ѵν",
    w: "ԝшω",
    x: "хχ",
    y: "уүγ",
    z: "ᴢ",
  }).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);
/** Shorter names differ by one letter all the time. */
const MIN_NAME_LENGTH = 5;
const MARKS = /[\p{M}\p{Cf}\p{Zs}_.-]/gu;
const DIGIT = /^\d$/;

/** @returns The other names of the list that each name could be taken for; names without any are absent. */
export function findLookAlikes(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const distinct = [...new Set(names)];
  const skeletons = new Map(distinct.map((name) => [name, formatSkeleton(name)]));
  const found = new Map<string, string[]>();
  for (const [index, name] of distinct.entries()) {
    for (const other of distinct.slice(index + 1)) {
      if (skeletons.get(name) !== skeletons.get(other) && !isOneEditApart(name, other)) continue;
      found.set(name, [...(found.get(name) ?? []), other]);
      found.set(other, [...(found.get(other) ?? []), name]);
    }
  }
  return found;
}

/** The same text for names that look the same. */
export function formatSkeleton(name: string): string {
  const plain = name.normalize("NFKD").replace(MARKS, "").toLowerCase();
  const latin = [...plain].map((letter) => LATIN.get(letter) ?? letter).join("");
  return latin.replaceAll("rn", "m").replaceAll("vv", "w").replaceAll("i", "l");
}

/** Numbers and plurals are how people name related tools, and do not count. */
function isOneEditApart(left: string, right: string): boolean {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  if (short.length < MIN_NAME_LENGTH || long.length - short.length > 1) return false;
  if (long === `${short}s`) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  const isSameLength = short.length === long.length;
  if (DIGIT.test(long[at] ?? "") && (!isSameLength || DIGIT.test(short[at] ?? ""))) return false;
  const rest = long.slice(at + 1);
  if (short.slice(isSameLength ? at + 1 : at) === rest) return true;
  // Two letters that changed places are one slip of a finger, too.
  return (
    isSameLength &&
    short[at] === long[at + 1] &&
    short[at + 1] === long[at] &&
    short.slice(at + 2) === long.slice(at + 2)
  );
}
