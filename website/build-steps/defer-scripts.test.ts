/** What a page loads first, and what waits. */
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { deferScripts } from "./defer-scripts.ts";

const PAGE =
  '<script data-rh=true>document.addEventListener("DOMContentLoaded",function(){void 0===window.docusaurus&&insertBanner()})</script>' +
  "<link rel=stylesheet href=/assets/css/styles.css><script src=/assets/js/runtime.js defer></script><script src=/assets/js/main.js defer></script><body>";

/** Runs the page's own inline loader in a made-up document and returns what it requested. */
function runLoader(html: string, { hidden = false } = {}) {
  const source = /<script>(!function.*?)<\/script>/.exec(html)?.[1] ?? "";
  const scripts: { src: string; async: boolean; onload: () => void; onerror: () => void }[] = [];
  const frames: (() => void)[] = [];
  const timers: (() => void)[] = [];
  const events: string[] = [];
  runInNewContext(source, {
    document: {
      hidden,
      readyState: "interactive",
      createElement: () => ({}),
      head: { appendChild: (script: (typeof scripts)[number]) => void scripts.push(script) },
      dispatchEvent: (event: { type: string }) => void events.push(event.type),
    },
    Event: class {
      readonly type: string;
      constructor(type: string) {
        this.type = type;
      }
    },
    requestAnimationFrame: (work: () => void) => void frames.push(work),
    setTimeout: (work: () => void, delayMs = 0) => (delayMs === 0 ? work() : void timers.push(work)),
  });
  const run = (queue: (() => void)[]) => queue.splice(0).forEach((work) => void work());
  return { scripts, events, paint: () => run(frames), wait: () => run(timers) };
}

describe("what a page loads", () => {
  test("fonts are preloaded before the stylesheet that names them", () => {
    const html = deferScripts(PAGE, { fonts: ["/assets/fonts/sans.woff2"], isHome: true });

    expect(html).toMatch(
      /<link rel="preload" href="\/assets\/fonts\/sans.woff2" [^>]*crossorigin><link rel=stylesheet/,
    );
  });

  test("scripts are asked for in their order once the page was painted", () => {
    const { scripts, paint } = runLoader(deferScripts(PAGE, { fonts: [], isHome: true }));
    expect(scripts).toEqual([]);

    paint();

    expect(scripts.map(({ src, async }) => [src, async])).toEqual([
      ["/assets/js/runtime.js", false],
      ["/assets/js/main.js", false],
    ]);
  });

  test("a page in a hidden tab, which is never painted, loads its scripts at once", () => {
    const { scripts } = runLoader(deferScripts(PAGE, { fonts: [], isHome: true }), { hidden: true });

    expect(scripts).toHaveLength(2);
  });

  test("a page that is visible and yet not painted loads its scripts after a while, and only once", () => {
    const { scripts, paint, wait } = runLoader(deferScripts(PAGE, { fonts: [], isHome: true }));

    wait();
    expect(scripts).toHaveLength(2);
    paint();
    expect(scripts).toHaveLength(2);
  });

  test("the banner for a wrong base address checks once, after each script was loaded or could not be", () => {
    const html = deferScripts(PAGE, { fonts: [], isHome: true });
    const { scripts, events, paint } = runLoader(html);
    paint();

    scripts[0]?.onerror();
    expect(events).toEqual([]);
    scripts[1]?.onload();

    expect(events).toHaveLength(1);
    expect(html).toContain(`addEventListener("${events[0]}",function(){void 0===window.docusaurus`);
  });

  test("a page other than the home page has no banner", () => {
    const html = PAGE.replace("void 0===", "");

    expect(deferScripts(html, { fonts: [], isHome: false })).toContain("runtime.js");
  });

  test.each([
    ["deferred script", PAGE.replaceAll(" defer>", ">")],
    ["<link rel=stylesheet>", PAGE.replace("rel=stylesheet", 'rel="stylesheet"')],
    ['listener that asks "void 0===window.docusaurus"', PAGE.replace("void 0===", "undefined===")],
  ])("the build stops at a page that has no %s", (what, html) => {
    expect(() => deferScripts(html, { fonts: [], isHome: true })).toThrow(
      `build-steps/defer-scripts.ts found no ${what} in a page.`,
    );
  });
});
