/**
 * The product's identity: names, links and identifiers used by the tool and by the site.
 * A fork that wants another name changes this file and the artwork in `website/static/img`.
 */
export const BRAND = {
  /** Product name in prose. */
  product: "ToolHive",
  tagline: "Simple and secure AI tools",
  /** The command's name. */
  command: "thv",
  /** Before our own keys in `_meta` of MCP messages; reverse DNS, as the protocol asks. */
  metaPrefix: "dev.toolhive/",
  /** In `_meta` of a request for the list of tools: all of them, also where clients find tools instead of listing them. */
  allToolsMeta: "dev.toolhive/allTools",
  /** Type of project files that are stored at image registries; the types of their layers begin with it. */
  projectMediaType: "application/vnd.dev.toolhive.project.v1",
  /** Names of what is installed, where they are not the command's. */
  packages: {
    npm: "toolhive-thv",
    /** In the Homebrew tap, the Scoop bucket and the WinGet repository of this project. */
    winget: "ToolHive.Thv",
    /** Without registry and tag. */
    image: "toolhive/thv",
    /** Of the packages for Linux; these demand an address. It has no host as long as the project has no mailbox. */
    maintainer: "ToolHive in TypeScript authors <authors@toolhive.invalid>",
  },
  /** The `{docs}` segment of the specification: prefixes every documentation route, names the search index. */
  docsSegment: "toolhive",
  /** Where the built site is reachable. `TOOLHIVE_SITE_URL` replaces it when a site is built for publication. */
  siteUrl: "http://localhost:3000",
  organization: "ToolHive in TypeScript",
  copyright: "Copyright © 2025 the ToolHive in TypeScript authors",
  links: {
    /** The icon links of the site's header and footer. Their labels name the owner, so that no reader takes them for ours. */
    social: {
      owner: "the original ToolHive",
      codeHost: "https://github.com/stacklok",
      chat: "https://discord.gg/stacklok",
      video: "https://www.youtube.com/@Stacklok",
      professionalNetwork: "https://www.linkedin.com/company/stacklok",
      microblog: "https://x.com/StacklokHQ",
    },
    /**
     * Repository of this project, without a slash at the end. Empty while it has no public address: pages have no edit link,
     * and readers whose search found nothing are led to the FAQ instead of its issues.
     */
    source: "",
    /**
     * The address below which the files of every release lie, without a slash at the end: `{downloads}/v1.2.3/FILE`. Empty while
     * nothing is published: the pages then name a folder that `npm run release` wrote.
     */
    downloads: "",
    /** The project whose API, commands and routes ours are compatible with. */
    reference: "https://github.com/stacklok/toolhive",
  },
  /** The issue that readers are offered, filled in, when a search found nothing; `{query}` is what they searched. */
  missingResultsReport: {
    title: "Search found nothing for: {query}",
    body: "I searched the documentation for: {query}\n\nI hoped to find: ",
  },
  /** Analytics are absent while these are empty. */
  analytics: { gtagId: "", vercel: false },
  /** Credentials of the hosted search provider; empty means the site's own search service on the same origin. */
  search: { appId: "", apiKey: "", indexName: "toolhive" },
} as const;
