/** The Chromium that tests drive. */
import { existsSync } from "node:fs";

/**
 * The usual one, which `CHROMIUM_PATH` can name. It judges whether a page can be installed, and whether pages from elsewhere are kept
 * out: the one without windows sometimes never closes a page that a form of another origin has replaced.
 */
export const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/**
 * Debian's Chromium without its windows, where it is installed. The usual one makes the bars and menus of a window for each new page,
 * which takes twice the processor time of a page of the site.
 */
const HEADLESS_SHELL = "/usr/lib/chromium/chromium-headless-shell";
export const CHROMIUM_WITHOUT_WINDOWS =
  process.env.CHROMIUM_PATH === undefined && existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM;

export const CHROMIUM_FLAGS: readonly string[] = [
  // The one without windows then draws letters as the usual one does, which does not know this flag.
  "--font-render-hinting=slight",
  // Tests may run as root, whom Chromium's sandbox does not protect.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];
