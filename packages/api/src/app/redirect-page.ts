/**
 * A page that leads a browser to the application. A program that opens a browser has its address among its arguments, which
 * every user of the machine may read; with this page that is the path of a file that only this user can read.
 */
import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";

/**
 * @param path Where nothing is yet.
 * @param url Of the application, with a token for one use.
 */
export async function writeRedirectPage(path: string, url: string): Promise<void> {
  // Script leaves no trace in the history; without it, the element leads on.
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>ToolHive</title>
<script>location.replace(${JSON.stringify(url)});</script>
<noscript><meta http-equiv="refresh" content="0;url=${url}"></noscript>
<p><a href="${url}">Open ToolHive</a></p>
`;
  await writeFile(path, page, { flag: "wx", mode: 0o600 });
}

export function removeRedirectPage(path: string): void {
  rmSync(path, { force: true });
}
