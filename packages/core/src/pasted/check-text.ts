/** Bounds of what somebody pastes, and its characters that people do not see and programs read. */

/** Characters; the instructions of a server have far fewer. */
export const MAX_PASTED_LENGTH = 100_000;
/** Controls, directions of text, characters without a width, and tags. Emoji are put together with U+200D. */
const HIDDEN =
  /(?![\t\n\r])[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;

/** @returns Half a sentence; nothing of the text is repeated in it. */
export function findTextProblem(text: string): string | undefined {
  if (text.length > MAX_PASTED_LENGTH) return `it has more than ${MAX_PASTED_LENGTH} characters`;
  const [hidden] = HIDDEN.exec(text) ?? [];
  if (hidden === undefined) return undefined;
  const number = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `it has a hidden character, U+${number}: type it instead of copying it`;
}

/** Characters that word processors and pages put in the place of those that a shell knows. */
const TYPOGRAPHY: readonly (readonly [RegExp, string])[] = [
  [/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " "],
  [/[\u201C\u201D\u201E\u201F]/g, '"'],
  [/[\u2018\u2019\u201A\u201B]/g, "'"],
  [/(?<=\s)[\u2013\u2014](?=[A-Za-z])/g, "--"],
];

export function plainTypography(text: string): string {
  return TYPOGRAPHY.reduce((plain, [pattern, letter]) => plain.replace(pattern, letter), text);
}
