/** Texts on their way in and out: the client inserts highlighted and plain texts alike as HTML. */

/** Undoes `escapeHtml` and the other spellings of the same five characters. */
export function unescapeHtml(text: string): string {
  return text
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&(?:#39|#x27|apos);/g, "'")
    .replace(/&amp;/g, "&");
}

/** Level 0 is shown as text by the modal and as HTML by the search page: without these characters both are right. */
export function withoutMarkup(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/\s*&\s*/g, " and ").replace(/[<>]/g, "") : text;
}
