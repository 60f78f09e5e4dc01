/** A page as its parts: front matter, headings, sentences, links and code blocks, each with its line. */
import { createProcessor } from "@mdx-js/mdx";
import type { Root, RootContent } from "mdast";
import { toString as toPlainText } from "mdast-util-to-string";
import remarkDirective from "remark-directive";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import { visit } from "unist-util-visit";
import { VFile } from "vfile";
import { parse } from "yaml";
import remarkUiLabels from "../plugins/markdown/ui-labels/remark-ui-labels.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
}

export interface Sentence {
  readonly text: string;
  readonly line: number;
}

export interface CodeBlock {
  readonly language: string;
  readonly meta: string;
  readonly content: string;
  readonly line: number;
}

export interface PageText {
  readonly frontMatter: Readonly<Record<string, unknown>>;
  readonly headings: readonly Heading[];
  /** Of paragraphs and list items; `inline code` counts as one word. Cells of tables are not sentences. */
  readonly sentences: readonly Sentence[];
  readonly links: readonly { readonly url: string; readonly text: string; readonly line: number }[];
  readonly code: readonly CodeBlock[];
  /** Words that readers read, without code blocks. */
  readonly words: number;
  /** Names of the components used. */
  readonly components: ReadonlySet<string>;
}

const processors = {
  mdx: createProcessor({ format: "mdx", remarkPlugins: [remarkFrontmatter, remarkGfm, remarkDirective] }),
  md: createProcessor({ format: "md", remarkPlugins: [remarkFrontmatter, remarkGfm] }),
};

/** @param format `md` for plain Markdown such as a readme. */
export function parseText(source: string, format: "mdx" | "md" = "mdx"): PageText {
  // `## Title {#anchor}` is the site's own syntax; MDX takes the braces for code.
  const tree = processors[format].parse(source.replaceAll(/ \{#[\w-]+\}$/gm, "")) as Root;
  remarkUiLabels()(tree, new VFile(source));
  const yaml = tree.children.find((node) => node.type === "yaml");
  const headings: Heading[] = [];
  const sentences: Sentence[] = [];
  const links: { url: string; text: string; line: number }[] = [];
  const code: CodeBlock[] = [];
  const components = new Set<string>();
  const words: string[] = [];
  visit(tree, (node) => {
    const line = node.position?.start.line ?? 0;
    if (node.type === "mdxJsxFlowElement" || node.type === "mdxJsxTextElement") components.add(node.name ?? "");
    if (node.type === "heading") headings.push({ level: node.depth, text: toPlainText(node), line });
    if (node.type === "link") links.push({ url: node.url, text: toPlainText(node), line });
    if (node.type === "code") {
      code.push({ language: node.lang ?? "", meta: node.meta ?? "", content: node.value, line });
    }
    if (node.type === "heading" || node.type === "tableCell") words.push(...listWords(toPlainText(node)));
    if (node.type === "paragraph") {
      const text = readProse(node);
      words.push(...listWords(text));
      for (const sentence of splitSentences(text)) sentences.push({ text: sentence, line });
    }
  });
  return {
    frontMatter: yaml === undefined ? {} : (parse(yaml.value) as Record<string, unknown>),
    headings,
    sentences,
    links,
    code,
    words: words.length,
    components,
  };
}

/** The paragraph's text with code in back quotes and in one word, and without line breaks. */
function readProse(node: RootContent): string {
  const copy = structuredClone(node);
  visit(copy, "inlineCode", (inline) => {
    inline.value = `\`${inline.value.replaceAll(/[\s.!?]+/g, "·")}\``;
  });
  return toPlainText(copy).replaceAll(/\s+/g, " ").trim();
}

/** Cuts behind a full stop, question mark or colon that ends a clause; abbreviations do not occur in these texts. */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.?!:][)”"]?)\s+(?=[\p{Lu}\d`“"(·]|$)/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}

export function listWords(text: string): string[] {
  return text.split(/[\s/]+/).filter((word) => /[\p{L}\d]/u.test(word));
}
