/** Text of others for a terminal: what the terminal would obey, or the eye would miss, is shown as an escape instead. */

/**
 * Control characters but line breaks and tabs; marks of direction and other invisible characters; separators that some
 * terminals break lines at; halves of characters. Joiners (U+200C, U+200D) and the choice between text and emoji (U+FE0E,
 * U+FE0F) stay: writing systems and emoji need them, and they move nothing.
 */
const UNSEEN =
  /\r(?!\n)|(?!\n|\t|\r|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** For example `\x1b[2J` instead of what clears the screen, and `\u{202e}` instead of what turns the line around. */
export function showText(text: string): string {
  return text.replace(UNSEEN, escapeCharacter);
}

/** The same for a place that has one line: line breaks and tabs are shown, too. */
export function showLine(text: string): string {
  return showText(text).replace(/[\n\t\r]/g, escapeCharacter);
}

/** The same for JSON, which stays JSON with the same meaning. */
export function showJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_unit, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
}
