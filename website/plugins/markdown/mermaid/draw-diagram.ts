/**
 * Draws a mermaid diagram as SVG when a page is compiled, so that readers load a picture and no drawing program, and the
 * content policy needs no exception. Colours and font are the page's own: `.diagram` in `src/css/page-parts.css` sets them.
 */
import { createHash } from "node:crypto";
// By its file: what loads the configuration asks for the entry for `require`, and the package exports none.
import { renderMermaidSVG } from "../../../../node_modules/beautiful-mermaid/dist/index.js";
import { escapeAttribute } from "../escape-markup.ts";

/** Space around the drawing, pixels. */
const PADDING = 4;

/**
 * @param title What the diagram shows, for readers who do not see it.
 * @throws When the source is no diagram of a kind that can be drawn: flowchart, state, sequence, class, ER and XY chart.
 */
export function drawDiagram(source: string, title: string): string {
  const drawn = renderMermaidSVG(source, { padding: PADDING, transparent: true });
  const prefix = `diagram-${createHash("sha256").update(source).digest("hex").slice(0, 8)}-`;
  return (
    drawn
      // It names a foreign font, and is no style that the content policy knows.
      .replaceAll(/<style>[\s\S]*?<\/style>\s*/g, "")
      .replaceAll(/ style="[^"]*"/g, "")
      // The parts of several diagrams on one page keep names of their own.
      .replaceAll(/ id="([^"]*)"/g, ` id="${prefix}$1"`)
      .replaceAll(/url\(#([^)]*)\)/g, `url(#${prefix}$1)`)
      .replace(/^<svg /, `<svg role="img" aria-label="${escapeAttribute(title)}" `)
  );
}
