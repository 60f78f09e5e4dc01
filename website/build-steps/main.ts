/**
 * Everything after the Docusaurus build: twins, policy, compression, manifest, search index. Run by `scripts/build.mjs`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { BRAND } from "@toolhive/core/brand";
import { buildIndex } from "@toolhive/search";
import type { SiteFile, SiteManifest } from "../server/site-manifest.ts";
import { collectInlineCode, contentSecurityPolicy, type InlineCode } from "./content-security-policy.ts";
import { deferScripts } from "./defer-scripts.ts";
import { cdnHeaders, cdnRedirects, nginxConfig } from "./host-files.ts";
import { writeMarkdownTwins } from "./markdown-twins.ts";
import { REDIRECTS } from "./redirects.ts";
import { addressOf, describeFile, listSiteFiles } from "./site-files.ts";

const websiteDir = process.cwd();
const siteDir = path.join(websiteDir, "build");
const siteUrl = process.env.TOOLHIVE_SITE_URL ?? BRAND.siteUrl;
const distDir = path.join(websiteDir, "dist");

const BASE_URL = process.env.TOOLHIVE_BASE_URL ?? "/";

/** The reader's own local API, for the request console of the API reference. */
const LOCAL_API_ORIGINS = ["http://127.0.0.1:8080", "http://localhost:8080"];

/** The stock search modal draws the hosted provider's logo with a style element of its own; it holds this text. */
const MODAL_LOGO_STYLE = ".cls-1,.cls-2{fill:#003dff;}.cls-2{fill-rule:evenodd;}";

async function main(): Promise<void> {
  await mkdir(distDir, { recursive: true });
  await writeMarkdownTwins({
    siteDir,
    siteUrl,
    product: BRAND.product,
    summary: "Run MCP servers in containers, limit what each may reach, and give clients one address for each.",
    files: await listSiteFiles(siteDir),
  });
  await orderWhatPagesLoad();
  // Files are compressed in threads of their own, while this one makes the index.
  const [manifest, { records }] = await Promise.all([
    describeSite(),
    buildIndex({
      siteDir,
      siteUrl,
      outFile: path.join(distDir, "search-index.bin"),
      indexName: BRAND.search.indexName,
    }),
  ]);
  await writeFile(path.join(distDir, "site-manifest.json"), JSON.stringify(manifest));
  const hostDir = path.join(distDir, "hosts");
  await mkdir(hostDir, { recursive: true });
  await writeFile(path.join(hostDir, "nginx.conf"), nginxConfig(manifest));
  await writeFile(path.join(hostDir, "_headers"), cdnHeaders(manifest));
  await writeFile(path.join(hostDir, "_redirects"), cdnRedirects(manifest));
  process.stdout.write(`Site: ${Object.keys(manifest.files).length} files, ${records} search records.\n`);
}

async function orderWhatPagesLoad(): Promise<void> {
  const files = await listSiteFiles(siteDir);
  const fonts = files.filter((file) => file.endsWith(".woff2")).map((file) => `${BASE_URL}${file}`);
  for (const file of files.filter((name) => name.endsWith(".html"))) {
    const absolute = path.join(siteDir, file);
    await writeFile(absolute, deferScripts(await readFile(absolute, "utf8"), { fonts }));
  }
}

async function describeSite(): Promise<SiteManifest> {
  const inline: InlineCode = {
    scripts: new Set(),
    styleAttributes: new Set(),
    styleElements: new Set([MODAL_LOGO_STYLE]),
  };
  const files: Record<string, SiteFile> = {};
  let notFound: SiteFile | undefined;
  const names = await listSiteFiles(siteDir);
  const described = Promise.all(names.map((relative) => describeFile(siteDir, relative)));
  for (const relative of names.filter((name) => name.endsWith(".html"))) {
    collectInlineCode(await readFile(path.join(siteDir, relative), "utf8"), inline);
  }
  for (const file of await described) {
    if (file.path === "404.html") notFound = file;
    else files[addressOf(file.path)] = file;
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
