/**
 * One pass over the files that Docusaurus built: order of loading, policy, Markdown twins, search index, compression and
 * manifest. Run by `scripts/build.mjs` with the folder that holds them in `build`, and gets everything else.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { BRAND } from "@toolhive/core/brand";
import { SiteRecords, writeIndex } from "@toolhive/search";
import { parse } from "parse5";
import type { SiteFile, SiteManifest } from "../server/site-manifest.ts";
import { collectInlineCode, contentSecurityPolicy, type InlineCode } from "./content-security-policy.ts";
import { deferScripts } from "./defer-scripts.ts";
import { writeDocsPack } from "./docs-pack.ts";
import { cdnHeaders, cdnRedirects, nginxConfig, robotsFile } from "./host-files.ts";
import { MarkdownTwins } from "./markdown-twins.ts";
import { REDIRECTS } from "./redirects.ts";
import { compressFile, listSiteFiles, toAddress } from "./site-files.ts";

const [, , distDir = ""] = process.argv;
const siteDir = path.join(distDir, "build");
const siteUrl = process.env.TOOLHIVE_SITE_URL ?? BRAND.siteUrl;

const BASE_URL = process.env.TOOLHIVE_BASE_URL ?? "/";

/** `npm start` sets it; the files that readers get are the same. */
const isLight = process.env.TOOLHIVE_SITE_COMPRESSION === "light";

const SUMMARY = "Run MCP servers in containers, limit what each may reach, and give clients one address for each.";

/** The reader's own local API, for the request console of the API reference. */
const LOCAL_API_ORIGINS = ["http://127.0.0.1:8080", "http://localhost:8080"];

/** The stock search modal draws the hosted provider's logo with a style element of its own; it holds this text. */
const MODAL_LOGO_STYLE = ".cls-1,.cls-2{fill:#003dff;}.cls-2{fill-rule:evenodd;}";

/** Each page is read once and parsed once; while it is compressed in a thread of its own, the next one is read. */
async function main(): Promise<void> {
  await mkdir(distDir, { recursive: true });
  const names = await listSiteFiles(siteDir);
  const fonts = names.filter((file) => file.endsWith(".woff2")).map((file) => `${BASE_URL}${file}`);
  const inline: InlineCode = {
    scripts: new Set(),
    styleAttributes: new Set(),
    styleElements: new Set([MODAL_LOGO_STYLE]),
  };
  const twins = new MarkdownTwins({ siteUrl, product: BRAND.product, summary: SUMMARY });
  const search = new SiteRecords(siteUrl);
  const compressed: Promise<SiteFile>[] = [];
  const write = async (file: string, content: Buffer): Promise<void> => {
    await writeFile(path.join(siteDir, file), content);
    compressed.push(compressFile(siteDir, file, content, { isLight }));
  };
  for (const file of names) {
    const content = await readFile(path.join(siteDir, file));
    if (!file.endsWith(".html")) {
      compressed.push(compressFile(siteDir, file, content, { isLight }));
      continue;
    }
    const html = deferScripts(content.toString("utf8"), { fonts, isHome: file === "index.html" });
    const document = parse(html);
    collectInlineCode(document, inline);
    twins.addPage(file, document);
    search.addPage(file, document);
    await write(file, Buffer.from(html));
  }
  twins.addLists();
  for (const [file, text] of twins.files) await write(file, Buffer.from(text));
  await write("robots.txt", Buffer.from(robotsFile(siteUrl)));
  const { records } = await writeIndex({
    records: search.records,
    outFile: path.join(distDir, "search-index.bin"),
    indexName: BRAND.search.indexName,
  });
  const packed = await writeDocsPack({
    factsFile: path.join(process.cwd(), "dist/docs-facts.json"),
    distDir,
    siteUrl,
    listed: twins.listed,
    records: search.records,
  });
  const manifest = describeSite(await Promise.all(compressed), inline);
  await writeFile(path.join(distDir, "site-manifest.json"), JSON.stringify(manifest));
  const hostDir = path.join(distDir, "hosts");
  await mkdir(hostDir, { recursive: true });
  await writeFile(path.join(hostDir, "nginx.conf"), nginxConfig(manifest));
  await writeFile(path.join(hostDir, "_headers"), cdnHeaders(manifest));
  await writeFile(path.join(hostDir, "_redirects"), cdnRedirects(manifest));
  process.stdout.write(
    `Site: ${Object.keys(manifest.files).length} files, ${records} search records, ${Math.round(packed / 1000)} kB of pages for thv.\n`,
  );
}

function describeSite(described: readonly SiteFile[], inline: InlineCode): SiteManifest {
  const files: Record<string, SiteFile> = {};
  let notFound: SiteFile | undefined;
  for (const file of described) {
    if (file.path === "404.html") notFound = file;
    else files[toAddress(file.path)] = file;
  }
  if (notFound === undefined) throw new Error("The build has no 404.html.");
  const { appId } = BRAND.search;
  const hostedSearch = appId === "" ? [] : [`https://${appId}-dsn.algolia.net`, "https://*.algolianet.com"];
  const hasTag = BRAND.analytics.gtagId !== "";
  return {
    files,
    redirects: REDIRECTS,
    notFound,
    contentSecurityPolicy: contentSecurityPolicy({
      inline,
      connectTo: [...LOCAL_API_ORIGINS, ...hostedSearch, ...(hasTag ? ["https://*.google-analytics.com"] : [])],
      scriptsFrom: hasTag ? ["https://www.googletagmanager.com"] : [],
    }),
  };
}

await main();
