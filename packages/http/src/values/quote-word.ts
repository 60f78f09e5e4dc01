/** A word of a printed command, as a POSIX shell reads it back: in single quotation marks unless it needs none. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
