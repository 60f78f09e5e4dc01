/**
 * Parses JSON without throwing. The parser's own message is dropped, because it quotes the text, which may hold a secret.
 *
 * @returns `undefined` for a text that is not JSON; no JSON text has that value.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
