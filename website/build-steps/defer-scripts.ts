/**
 * Orders what a page loads: first its text, its style and its fonts, then, once the reader sees it, the scripts. They wait
 * for the first picture because they would share the connection with what that picture needs.
 */

import { FrameworkPatchError } from "../plugins/framework-patches/patch-error.mjs";

interface CriticalFiles {
  /** Whether this is the site's first page, the only one in which the framework puts the banner for a wrong base address. */
  readonly isHome: boolean;
  /** Addresses of the fonts, which only the stylesheet names and which would be found late. */
  readonly fonts: readonly string[];
}

const DEFERRED_SCRIPT = /<script src="?([^\s">]+)"? defer(?:="")?><\/script>/g;

/** Dispatched when each script was loaded or could not be. */
const SCRIPTS_SETTLED = "toolhive:scripts-settled";

const STYLESHEET = "<link rel=stylesheet";

/** The framework's banner for a wrong base address, up to its check whether the scripts ran. */
const BANNER_START = /addEventListener\("DOMContentLoaded",(?=function\(\)\{void 0===window\.docusaurus)/;

/**
 * @returns The page with preloaded fonts and late scripts.
 * @throws {FrameworkPatchError} when the framework wrote the page in another way.
 */
export function deferScripts(html: string, { fonts, isHome }: CriticalFiles): string {
  const tags = [...html.matchAll(DEFERRED_SCRIPT)];
  const [first] = tags;
  if (first === undefined) return fail("no deferred script");
  if (!html.includes(STYLESHEET)) return fail(`no ${STYLESHEET}>`);
  if (isHome && !BANNER_START.test(html)) return fail('no listener that asks "void 0===window.docusaurus"');
  const scripts = tags.map(([, address]) => address ?? "");
  const preloads = fonts.map((href) => `<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin>`);
  return (
    html
      .replace(first[0], `<script>${loader(scripts)}</script>`)
      .replaceAll(DEFERRED_SCRIPT, "")
      // The banner checks when the scripts would have run.
      .replace(BANNER_START, `addEventListener("${SCRIPTS_SETTLED}",`)
      .replace(STYLESHEET, `${preloads.join("")}${STYLESHEET}`)
  );
}

function fail(what: string): never {
  throw new FrameworkPatchError(`build-steps/defer-scripts.ts found ${what} in a page.`);
}

/**
 * A page in a hidden tab is not painted, and loads its scripts at once; one that counts as visible and is not painted either
 * loads them after three seconds.
 */
function loader(scripts: readonly string[]): string {
  return `!function(){var n=${scripts.length},d=document,asked;function end(){--n||d.dispatchEvent(new Event("${SCRIPTS_SETTLED}"))}function load(){asked||(asked=1,${JSON.stringify(scripts)}.forEach(function(u){var s=d.createElement("script");s.src=u;s.async=false;s.onload=s.onerror=end;d.head.appendChild(s)}))}function painted(){d.hidden?load():(setTimeout(load,3e3),requestAnimationFrame(function(){setTimeout(load)}))}"loading"===d.readyState?d.addEventListener("DOMContentLoaded",painted):painted()}()`;
}
