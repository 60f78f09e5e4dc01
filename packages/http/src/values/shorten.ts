/**
 * Shortens a text for a line, a table or a message. A text that is too long ends in `…`, without blanks and dots before it.
 *
 * @param length Characters (UTF-16 units) of the result at most, with the `…`; at least 1.
 * @param _refused Nobody passes it. It makes `map(shorten)` a mistake of types: the index would become the length.
 */
export function shorten(text: string, length: number, _refused?: never): string {
  if (text.length <= length) return text;
  let end = length - 1;
  while (end > 0 && /[\s.…]/.test(text.charAt(end - 1))) end--;
  return `${text.slice(0, end)}…`;
}
