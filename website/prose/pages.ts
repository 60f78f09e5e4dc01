/** The texts that people write: guides, tutorials and concepts of the site, and the files a newcomer reads first. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");
const DOCS = path.join(ROOT, "website/docs");
/** Made from the program at each build. */
const GENERATED = "toolhive/reference/";
const PREVIEW = "theme-preview.mdx";
const FIRST_READ = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "SUPPORT.md", "CHANGELOG.md"];

export type PageKind = "tutorial" | "guide" | "concept" | "landing" | "faq" | "text";

export interface WrittenPage {
  /** From the repository's root. */
  readonly file: string;
  readonly kind: PageKind;
  readonly source: string;
}

/** Pages of the site first, in the order of their paths. */
export function listWrittenPages(): WrittenPage[] {
  const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".mdx") && !file.startsWith(GENERATED) && file !== PREVIEW)
    .sort()
    .map((file) => `website/docs/${file}`);
  return [...pages, ...FIRST_READ].map((file) => ({
    file,
    kind: classifyPage(file),
    source: readFileSync(path.join(ROOT, file), "utf8"),
  }));
}

/** The kind follows from the place, so a new page has its sections from the start. */
export function classifyPage(file: string): PageKind {
  if (!file.startsWith("website/docs/")) return "text";
  if (file.endsWith("/faq.mdx")) return "faq";
  if (file.endsWith("/index.mdx")) return "landing";
  if (file.includes("/tutorials/")) return "tutorial";
  if (file.includes("/concepts/") || file.endsWith("/guides-k8s/intro.mdx")) return "concept";
  return "guide";
}
