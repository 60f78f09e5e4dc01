/**
 * Copies a text that is still on its way. Safari lets a page write to the clipboard only while the press of a button is
 * fresh: it is told of the copy at once, and waits for the text.
 */
export async function copyText(text: Promise<string>): Promise<void> {
  if (typeof ClipboardItem === "undefined") {
    await navigator.clipboard.writeText(await text);
    return;
  }
  const type = "text/plain";
  const blob = text.then((content) => new Blob([content], { type }));
  // A browser that fails before it looks at the text leaves nobody to hear of the text's own failure.
  blob.catch(() => undefined);
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
}
