/**
 * Orders what a page loads: first its text, its style and its fonts, then, once the reader sees it, the scripts. They wait
 * for the first picture because they would share the connection with what that picture needs.
 */

interface CriticalFiles {
  /** Addresses of the fonts, which only the stylesheet names and which would be found late. */
  readonly fonts: readonly string[];
}

const DEFERRED_SCRIPT = /<script src="?([^\s">]+)"? defer(?:="")?><\/script>/g;

/** Tells that each script was loaded or could not be. */
const SCRIPTS_SETTLED = "toolhive:scripts-settled";

/** @returns The page with preloaded fonts and late scripts; unchanged when it has no deferred scripts. */
export function deferScripts(html: string, { fonts }: CriticalFiles): string {
  const scripts = [...html.matchAll(DEFERRED_SCRIPT)].map(([, address]) => address ?? "");
  if (scripts.length === 0) return html;
  const preloads = fonts.map((href) => `<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin>`);
  const [first = ""] = [...html.matchAll(DEFERRED_SCRIPT)].map(([tag]) => tag);
  return (
    html
      .replace(first, `<script>${loader(scripts)}</script>`)
      .replaceAll(DEFERRED_SCRIPT, "")
      // The banner for a wrong base address looks whether the scripts ran, when they would have.
      .replace(
        /addEventListener\("DOMContentLoaded",(?=function\(\)\{void 0===window\.docusaurus)/,
        `addEventListener("${SCRIPTS_SETTLED}",`,
      )
      .replace("<link rel=stylesheet", `${preloads.join("")}<link rel=stylesheet`)
  );
}

/**
 * A page in a hidden tab is not painted, and loads its scripts at once; one that counts as visible and is not painted either
 * loads them after three seconds.
 */
function loader(scripts: readonly string[]): string {
  return `!function(){var n=${scripts.length},d=document,asked;function end(){--n||d.dispatchEvent(new Event("${SCRIPTS_SETTLED}"))}function load(){asked||(asked=1,${JSON.stringify(scripts)}.forEach(function(u){var s=d.createElement("script");s.src=u;s.async=false;s.onload=s.onerror=end;d.head.appendChild(s)}))}function painted(){d.hidden?load():(setTimeout(load,3e3),requestAnimationFrame(function(){setTimeout(load)}))}"loading"===d.readyState?d.addEventListener("DOMContentLoaded",painted):painted()}()`;
}
