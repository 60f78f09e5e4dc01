/**
 * Makes a Markdown twin of every documentation page (`<route>.md`), and the two files that lead language models to them
 * (`llms.txt` with one line a page, `llms-full.txt` with every text). Pages that say noindex have a twin and are not listed.
 */
import { BRAND } from "@toolhive/core/brand";
import { MCP_PATH } from "../server/mcp-paths.ts";
import { PROJECT_PAGES } from "../src/sidebar-sections.ts";
import { findMeta, type HtmlDocument } from "./html-tree.ts";
import { type PageMarkdown, pageToMarkdown } from "./page-to-markdown.ts";
import { toAddress } from "./site-files.ts";

export interface TwinOptions {
  /** Without slash at the end. */
  readonly siteUrl: string;
  readonly product: string;
  readonly summary: string;
}

export interface ListedPage extends PageMarkdown {
  readonly address: string;
}

/** Sections of `llms.txt`, by the first part of the address that fits; pages about the project come last, as in the sidebar. */
const SECTIONS = [
  ["Tutorials", "/toolhive/tutorials"],
  ["Concepts", "/toolhive/concepts"],
  ["CLI guides", "/toolhive/guides-cli"],
  ["UI guides", "/toolhive/guides-ui"],
  ["Kubernetes guides", "/toolhive/guides-k8s"],
  ["Reference", "/toolhive/reference"],
  ["Overview", "/toolhive"],
] as const;

const PROJECT_SECTION = "Project";
const SECTION_NAMES = [...SECTIONS.map(([section]) => section), PROJECT_SECTION];

function findSection(address: string): string | undefined {
  if (PROJECT_PAGES.includes(address.slice(1))) return PROJECT_SECTION;
  return SECTIONS.find(([, start]) => address.startsWith(start))?.[0];
}

export class MarkdownTwins {
  /** Texts by the path of their file below the site's folder. */
  readonly files = new Map<string, string>();
  readonly #options: TwinOptions;
  readonly #listed: ListedPage[] = [];

  constructor(options: TwinOptions) {
    this.#options = options;
  }

  /** Pages that do not say noindex, in the order of their files. */
  get listed(): readonly ListedPage[] {
    return this.#listed;
  }

  /**
   * Pages without an article or a title have no twin.
   *
   * @param file Below the site's folder, with forward slashes.
   */
  addPage(file: string, document: HtmlDocument): void {
    if (!file.endsWith("index.html")) return;
    const page = pageToMarkdown(document, this.#options.siteUrl);
    if (page === undefined || page.title === "") return;
    const address = toAddress(file);
    this.files.set(`${address.slice(1)}.md`, page.markdown);
    if (!findMeta(document, "robots")?.includes("noindex")) this.#listed.push({ ...page, address });
  }

  /** Adds `llms.txt` and `llms-full.txt`; to be called after the last page. */
  addLists(): void {
    const { siteUrl, product, summary } = this.#options;
    const texts = this.#listed.map(({ address, markdown }) => `<!-- ${siteUrl}${address} -->\n\n${markdown}`);
    this.files.set("llms.txt", this.#formatIndex());
    this.files.set("llms-full.txt", `# ${product}\n\n> ${summary}\n\n${texts.join("\n---\n\n")}`);
  }

  #formatIndex(): string {
    const { siteUrl, product, summary } = this.#options;
    const parts = [
      `# ${product}`,
      `> ${summary}`,
      `An MCP server (streamable HTTP) searches these pages, reads them and explains errors: ${siteUrl}${MCP_PATH}. \`${BRAND.command} docs mcp\` is the same server without a network.`,
    ];
    for (const section of SECTION_NAMES) {
      const own = this.#listed.filter(({ address }) => findSection(address) === section);
      if (own.length === 0) continue;
      const lines = own.map(
        ({ title, address, description }) => `- [${title}](${siteUrl}${address}.md): ${description}`,
      );
      parts.push(`## ${section}`, lines.join("\n"));
    }
    return `${parts.join("\n\n")}\n`;
  }
}
