/** Gives the reader a file to keep. */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
