/** Opens an address in the user's browser, with the program that each system has for it. */
import { spawn } from "node:child_process";

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Does nothing where there is no such program: the address is printed too. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const [program = "", ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore", env: { ...env } });
  child.once("error", () => undefined);
  child.unref();
}
