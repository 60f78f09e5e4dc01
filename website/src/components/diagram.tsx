/**
 * A mermaid diagram that was drawn when the page was compiled. Its source stays in the page, for the Markdown twin and for
 * readers who want it as text. A diagram wider than the column scrolls within its own box.
 */
import type { StaticPart } from "@site/plugins/static-text/client/read-parts.ts";

export interface DiagramProps {
  /** The drawing from plugins/markdown/mermaid, made at build time from this repository's own pages. */
  readonly part: StaticPart;
  readonly source: string;
  /** What the diagram shows. */
  readonly title: string;
}

export function Diagram({ part, source, title }: DiagramProps) {
  return (
    <figure className="diagram">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
      <section className="diagram__drawing" aria-label={title} tabIndex={0} {...part} />
      <figcaption>
        <details className="diagram__source">
          <summary>{title}</summary>
          <pre>{source}</pre>
        </details>
      </figcaption>
    </figure>
  );
}
