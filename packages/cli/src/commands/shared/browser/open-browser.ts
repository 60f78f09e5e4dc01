/** Opens an address in the user's browser, with the program that each system has for it. */
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { chooseRedirectPath } from "./redirect-path.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Opens an address whose parts nobody else may use: other users may read the arguments of the program that opens the browser, but
 * not the page that leads it on.
 *
 * @returns Removes that page.
 */
export async function openBrowserPrivately(url: string, env: Variables): Promise<Disposable> {
  const { removeRedirectPage, writeRedirectPage } = await import("@toolhive/api/redirect-page");
  const page = await chooseRedirectPath(env);
  if (page !== undefined) await writeRedirectPage(page, url);
  openBrowser(page === undefined ? url : pathToFileURL(page).href, env);
  return { [Symbol.dispose]: () => page !== undefined && removeRedirectPage(page) };
}

/** Does nothing where there is no such program: the address is printed too. */
export function openBrowser(url: string, env: Variables): void {
  const [program = "", ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore", env: { ...env } });
  child.once("error", () => undefined);
  child.unref();
}
