/**
 * Copies a text that is still loading. Safari allows a page to write to the clipboard only right after the press of a button: the
 * copy begins at once, and waits for the text.
 */
export async function copyText(text: Promise<string>): Promise<void> {
  if (typeof ClipboardItem === "undefined") {
    await navigator.clipboard.writeText(await text);
    return;
  }
  const type = "text/plain";
  const blob = text.then((content) => new Blob([content], { type }));
  // A browser that fails before it reads the text leaves the text's own failure unhandled.
  blob.catch(() => undefined);
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
}
