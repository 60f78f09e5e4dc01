/** Texts in the HTML that the plugins write. What the site's configuration loads imports no package of the tool. */

/** A text between tags. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A text between tags, or an attribute's value in double quotation marks. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}
