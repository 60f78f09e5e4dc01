/**
 * Writes a Markdown twin of every documentation page (`<route>.md`), and the two files that lead language models to them
 * (`llms.txt` with one line a page, `llms-full.txt` with every text). Pages that say
 * noindex have a twin and are not listed.
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type PageMarkdown, pageToMarkdown } from "./html-to-markdown.ts";
import { addressOf } from "./site-files.ts";

export interface TwinOptions {
  readonly siteDir: string;
  /** Without slash at the end. */
  readonly siteUrl: string;
  readonly product: string;
  readonly summary: string;
  /** Relative paths of the built files. */
  readonly files: readonly string[];
}

interface Twin extends PageMarkdown {
  readonly address: string;
}

/** Sections of `llms.txt`, by the first part of the address that fits. */
const SECTIONS = [
  ["Tutorials", "/toolhive/tutorials"],
  ["Concepts", "/toolhive/concepts"],
  ["CLI guides", "/toolhive/guides-cli"],
  ["UI guides", "/toolhive/guides-ui"],
  ["Kubernetes operator", "/toolhive/guides-k8s"],
  ["Reference", "/toolhive/reference"],
  ["Overview", "/toolhive"],
] as const;

/** @returns Paths of the written files, relative to the site's folder. */
export async function writeMarkdownTwins({
  siteDir,
  siteUrl,
  product,
  summary,
  files,
}: TwinOptions): Promise<string[]> {
  const written: string[] = [];
  const twins: Twin[] = [];
  for (const file of files) {
    if (!file.endsWith("index.html")) continue;
    const html = await readFile(path.join(siteDir, file), "utf8");
    const page = pageToMarkdown(html, siteUrl);
    if (page === undefined || page.title === "") continue;
    const address = addressOf(file);
    const twinFile = `${address.slice(1)}.md`;
    await writeFile(path.join(siteDir, twinFile), page.markdown);
    written.push(twinFile);
    const isForReaders = !/<meta[^>]*(name|property)="?robots"?[^>]*noindex/.test(html);
    if (isForReaders) twins.push({ ...page, address });
  }
  await writeFile(path.join(siteDir, "llms.txt"), indexOf(twins, siteUrl, product, summary));
  const texts = twins.map(({ address, markdown }) => `<!-- ${siteUrl}${address} -->\n\n${markdown}`);
  await writeFile(path.join(siteDir, "llms-full.txt"), `# ${product}\n\n> ${summary}\n\n${texts.join("\n---\n\n")}`);
  return [...written, "llms.txt", "llms-full.txt"];
}

function indexOf(twins: readonly Twin[], siteUrl: string, product: string, summary: string): string {
  const sectionOf = ({ address }: Twin) => SECTIONS.find(([, start]) => address.startsWith(start))?.[0];
  const parts = [`# ${product}`, `> ${summary}`];
  for (const [section] of SECTIONS) {
    const own = twins.filter((twin) => sectionOf(twin) === section);
    if (own.length === 0) continue;
    const lines = own.map(({ title, address, description }) => `- [${title}](${siteUrl}${address}.md): ${description}`);
    parts.push(`## ${section}`, lines.join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}
