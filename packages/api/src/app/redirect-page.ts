/**
 * A page that leads a browser to an address with something secret in it. A program that opens a browser has its address among
 * its arguments, which every user of the machine may read; with this page that is the path of a file that only this user can
 * read.
 */
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";

/**
 * @param path Where nothing is yet.
 * @param address With a token for one use, for example.
 */
export async function writeRedirectPage(path: string, address: string): Promise<void> {
  // This form contains neither a quote nor an angle bracket.
  const url = new URL(address).href.replaceAll("'", "%27");
  const shown = url.replaceAll("&", "&amp;");
  // Script leaves no trace in the history; without it, the element leads on.
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>ToolHive</title>
<script>location.replace(${JSON.stringify(url)});</script>
<noscript><meta http-equiv="refresh" content="0;url=${shown}"></noscript>
<p><a href="${shown}">Continue</a></p>
`;
  await writeFile(path, page, { flag: "wx", mode: 0o600 });
}

export function removeRedirectPage(path: string): void {
  rmSync(path, { force: true });
}
