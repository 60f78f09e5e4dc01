/**
 * Quotes the beginning of a foreign text for a message, as JSON: a line break in it cannot look like the next line of the message.
 *
 * @param length Characters (UTF-16 units) of the text that are quoted; the rest is left out without a mark.
 * @param _refused Nobody passes it. It makes `map(quote)` a mistake of types: the index would become the length.
 */
export function quote(text: string, length: number, _refused?: never): string {
  return JSON.stringify(text.slice(0, length));
}
