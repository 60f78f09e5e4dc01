/**
 * Makes the site's configuration from what a deployment chooses. Everything that names the product comes from the brand file;
 * everything the specification fixes (routes, sidebar, colour mode, table of contents) is set here.
 */

import path from "node:path";
import type { Options as PresetOptions, ThemeConfig } from "@docusaurus/preset-classic";
import type { Config } from "@docusaurus/types";
import { BRAND } from "@toolhive/core/brand";
import announcementCheck from "./plugins/announcement-check/index.ts";
import { frameworkPatches } from "./plugins/framework-patches/index.ts";
import headTags from "./plugins/head-tags/index.ts";
import codeWords from "./plugins/markdown/code-words/rehype-code-words.ts";
import highlightCode from "./plugins/markdown/highlight-code/rehype-highlight-code.ts";
import longPages from "./plugins/markdown/long-pages/rehype-long-pages.ts";
import mermaid from "./plugins/markdown/mermaid/rehype-mermaid.ts";
import numberColumns from "./plugins/markdown/number-columns/rehype-number-columns.ts";
import staticTables from "./plugins/markdown/static-tables/rehype-static-tables.ts";
import uiLabels from "./plugins/markdown/ui-labels/remark-ui-labels.ts";
import { readPageDates } from "./plugins/page-dates/page-dates.ts";
import pageQuestions, { takeQuestions } from "./plugins/page-questions/index.ts";
import searchBeside from "./plugins/search-beside/index.ts";
import staticText from "./plugins/static-text/index.ts";
import rehypeStaticText from "./plugins/static-text/rehype-static-text.ts";
import thirdPartyNotices from "./plugins/third-party-notices/index.ts";
import { announcement } from "./src/announcement.ts";
import { BRAND_ICONS, iconLink, SOCIAL_PLACES } from "./src/brand-icons.ts";
import type { MissingResultsTarget } from "./src/missing-results.ts";
import { LOCAL_SEARCH } from "./src/search-settings.ts";
import { readSiteFacts } from "./src/site-facts.ts";

const { docsSegment: docs, links } = BRAND;
const baseUrl = process.env.TOOLHIVE_BASE_URL ?? "/";
const pageDates = readPageDates({
  pagesDir: path.join(__dirname, "docs"),
  generatedDir: path.join(__dirname, "docs/toolhive/reference"),
  sourceDirs: [path.join(__dirname, "../packages"), path.join(__dirname, "reference")],
});
const siteUrl = process.env.TOOLHIVE_SITE_URL ?? BRAND.siteUrl;

const socialLinks = SOCIAL_PLACES.map((place) => {
  const { name, title } = BRAND_ICONS[place];
  return { href: links.social[place], name, title, label: `${title} of ${links.social.owner}` };
});

/** What the configuration depends on besides the product's names. A browser test builds the site with all of it set. */
export interface SiteSettings {
  readonly analytics: { readonly gtagId: string; readonly vercel: boolean };
  /** Address of the repository; empty means that pages have no edit link and missing results are reported by the FAQ. */
  readonly source: string;
  /** Whether readers choose the colour mode. Without it a stored choice is deleted (spec §4). */
  readonly hasColourSwitch: boolean;
}

/** @param facts Default: those that the build has written. */
export const createSiteConfig = (
  settings: SiteSettings,
  { version, constants }: { readonly version: string; readonly constants: object } = readSiteFacts(),
): Config => ({
  title: `${BRAND.product} Docs`,
  tagline: BRAND.tagline,
  favicon: "img/favicon.svg",
  url: siteUrl,
  baseUrl,
  organizationName: "toolhive",
  projectName: "toolhive",
  i18n: { defaultLocale: "en", locales: ["en"] },

  customFields: {
    versions: { thv: `v${version}` },
    constants,
    missingResults: {
      source: settings.source,
      report: BRAND.missingResultsReport,
      fallback: `${baseUrl}${docs}/faq#report-a-gap`,
    } satisfies MissingResultsTarget,
  },

  onBrokenLinks: "throw",
  onBrokenAnchors: "warn",
  onBrokenMarkdownLinks: "warn",

  markdown: {
    // A date in the front matter is one that the framework does not ask git for.
    parseFrontMatter: async (page) => {
      const parsed = takeQuestions(page.filePath, await page.defaultParseFrontMatter(page));
      const date = pageDates?.find(page.filePath);
      return date === undefined ? parsed : { ...parsed, frontMatter: { last_update: { date }, ...parsed.frontMatter } };
    },
  },

  future: {
    v4: { removeLegacyPostBuildHeadAttribute: true, useCssCascadeLayers: false },
    experimental_faster: {
      swcJsLoader: true,
      swcJsMinimizer: true,
      swcHtmlMinimizer: true,
      lightningCssMinimizer: true,
      mdxCrossCompilerCache: true,
      rspackBundler: true,
      // The persistent cache ignores changed module aliases and keeps the old search client in the bundle.
      rspackPersistentCache: false,
      // One process renders this site faster than a pool of workers can start.
      ssgWorkerThreads: false,
    },
  },

  clientModules: [
    "./src/client/keep-link-target.ts",
    "./src/client/show-open-page-in-menu.ts",
    "./src/client/print-all.ts",
    "./src/client/report-failed-load.ts",
  ],

  plugins: [
    ...frameworkPatches,
    announcementCheck,
    headTags,
    pageQuestions,
    staticText,
    thirdPartyNotices,
    searchBeside,
    ...(settings.analytics.vercel ? ["@docusaurus/plugin-vercel-analytics"] : []),
  ],

  presets: [["classic", createPresetOptions(settings)]],

  themeConfig: createThemeConfig(settings),
});

const createPresetOptions = ({ analytics, source }: SiteSettings): PresetOptions => ({
  docs: {
    routeBasePath: "/",
    sidebarPath: "./sidebars.ts",
    sidebarCollapsible: true,
    breadcrumbs: true,
    showLastUpdateTime: pageDates !== undefined,
    ...(source === "" ? {} : { editUrl: `${source}/edit/main/website/` }),
    beforeDefaultRemarkPlugins: [uiLabels],
    rehypePlugins: [
      ...[longPages, mermaid, highlightCode, codeWords, numberColumns, staticTables],
      [rehypeStaticText, { baseUrl }],
    ],
  },
  blog: false,
  theme: {
    customCss: [
      "./src/css/fonts.css",
      require.resolve("@toolhive/app/tokens.css"),
      "./src/css/measures.css",
      "./src/css/chrome.css",
      "./src/css/chrome-late.css",
      "./src/css/content.css",
      "./src/css/blocks.css",
      "./src/css/page-parts.css",
    ],
  },
  sitemap: { ignorePatterns: ["/search", "/theme-preview"], lastmod: null, changefreq: null, priority: null },
  ...(analytics.gtagId === "" ? {} : { gtag: { trackingID: analytics.gtagId, anonymizeIP: true } }),
});

const createThemeConfig = ({ hasColourSwitch }: SiteSettings): ThemeConfig => ({
  image: "img/social-card.png",
  metadata: [{ name: "twitter:card", content: "summary_large_image" }],
  colorMode: { defaultMode: "dark", disableSwitch: !hasColourSwitch, respectPrefersColorScheme: true },
  docs: { sidebar: { hideable: false, autoCollapseCategories: false } },
  tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
  ...(announcement === undefined ? {} : { announcementBar: announcement }),
  algolia: {
    appId: BRAND.search.appId || LOCAL_SEARCH.appId,
    apiKey: BRAND.search.apiKey || LOCAL_SEARCH.apiKey,
    indexName: BRAND.search.indexName,
    contextualSearch: true,
    searchPagePath: "search",
  },
  navbar: {
    title: BRAND.product,
    logo: { alt: "", src: "img/logo.svg", srcDark: "img/logo-dark.svg", width: 28, height: 28 },
    items: [
      {
        type: "dropdown",
        label: "Docs",
        position: "left",
        items: [
          { label: "Home", to: `/${docs}` },
          { label: "Tutorials", to: `/${docs}/tutorials` },
          { label: "UI", to: `/${docs}/guides-ui` },
          { label: "CLI", to: `/${docs}/guides-cli` },
          { label: "Kubernetes Operator", to: `/${docs}/guides-k8s` },
        ],
      },
      { type: "search", position: "right" },
      ...socialLinks.slice(0, 3).map(({ label, href, name }) => ({
        href,
        position: "right" as const,
        className: `icon-link icon-link--${name}`,
        "aria-label": label,
        title: label,
      })),
    ],
  },
  footer: {
    logo: {
      alt: `${BRAND.product}`,
      src: "img/logo.svg",
      srcDark: "img/logo-dark.svg",
      width: 36,
      height: 36,
      href: "/",
    },
    links: [{ items: socialLinks.map((link) => ({ html: iconLink(link) })) }],
    copyright: BRAND.copyright,
  },
  // Colours of code are in the stylesheet; the stock theme would travel with every page.
  prism: {
    additionalLanguages: ["bash", "json", "powershell", "docker", "lua"],
    theme: { plain: {}, styles: [] },
  },
});
