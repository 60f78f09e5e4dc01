import { compile } from "@mdx-js/mdx";
import { describe, expect, test } from "vitest";
import { drawDiagram } from "./draw-diagram.ts";
import rehypeMermaid from "./rehype-mermaid.ts";

const FLOW = "flowchart LR\n  client[Client] -->|HTTP| proxy[Proxy]";

async function compiled(markdown: string): Promise<string> {
  return String(await compile(markdown, { rehypePlugins: [rehypeMermaid], jsx: true }));
}

describe("drawDiagram", () => {
  test.each([
    ["a flowchart", FLOW, ["Client", "Proxy", "HTTP"]],
    ["a sequence", "sequenceDiagram\n  Client->>Proxy: call", ["Client", "Proxy", "call"]],
    ["a state machine", "stateDiagram-v2\n  starting --> running", ["starting", "running"]],
  ])(
    "%s has its texts, a name for screen readers and nothing that the content policy forbids",
    (_kind, source, texts) => {
      const svg = drawDiagram(source, 'A "way" & more');

      for (const text of texts) expect(svg).toContain(`>${text}</text>`);
      expect(svg).toContain('role="img" aria-label="A &quot;way&quot; &amp; more"');
      expect(svg).not.toMatch(/<style|\sstyle=|<script|\son\w+=|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    },
  );

  test("its size is known before it is shown", () => {
    expect(drawDiagram(FLOW, "Way")).toMatch(/^<svg [^>]*viewBox="0 0 [\d.]+ [\d.]+" width="[\d.]+" height="[\d.]+"/);
  });

  test("the parts of two diagrams have different ids, and each refers to its own", () => {
    const listIds = (svg: string) => [...svg.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const [first, second] = [drawDiagram(FLOW, "One"), drawDiagram(`${FLOW}\n  proxy --> server`, "Two")];

    expect(listIds(first).length).toBeGreaterThan(0);
    expect(listIds(first).filter((id) => listIds(second).includes(id))).toEqual([]);
    for (const [, reference] of first.matchAll(/url\(#([^)]*)\)/g)) expect(listIds(first)).toContain(reference);
  });
});

describe("a mermaid fence in a page", () => {
  test("becomes a diagram that keeps its source, and other fences stay", async () => {
    const page = await compiled(`\`\`\`mermaid title="Way"\n${FLOW}\n\`\`\`\n\n\`\`\`bash\nthv list\n\`\`\``);

    expect(page).toContain("<Diagram svg=");
    expect(page).toContain(`source={${JSON.stringify(FLOW)}}`);
    expect(page).toContain("language-bash");
  });

  test("without a title is an error that says how to give it one", async () => {
    await expect(compiled(`\`\`\`mermaid\n${FLOW}\n\`\`\``)).rejects.toThrow('```mermaid title="…"');
  });

  test("that cannot be drawn is an error that names it", async () => {
    await expect(compiled('```mermaid title="Plan"\nnonsense\n```')).rejects.toThrow(
      'The mermaid diagram "Plan" cannot be drawn',
    );
  });
});
