/**
 * Configuration for hosts other than the site's own server, made from the same manifest: an nginx server block and the
 * `_headers` and `_redirects` files that several CDNs read. They carry the policy whose hashes fit this build.
 */
import { CARD_PATH, CATALOG_PATH, MCP_PATH } from "../server/mcp-paths.ts";
import type { SiteManifest } from "../server/site-manifest.ts";

const PAGE_HEADERS = (policy: string): readonly (readonly [string, string])[] => [
  ["Content-Security-Policy", policy],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "strict-origin-when-cross-origin"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
];

/** Where the search service listens, seen from nginx. */
const SEARCH_UPSTREAM = "http://127.0.0.1:3000";

/** A path in nginx's expressions. */
function escapePattern(path: string): string {
  return path.replaceAll(".", "\\.");
}

/** Crawlers may read everything; the file shows programs where they can search instead of reading all of it. */
export function robotsFile(siteUrl: string): string {
  return [
    "# Programs that answer questions need not read every page: an MCP server searches them.",
    `# MCP server: ${siteUrl}${MCP_PATH} (catalogue: ${siteUrl}${CATALOG_PATH})`,
    `# Index for language models: ${siteUrl}/llms.txt`,
    "User-agent: *",
    "Disallow:",
    "",
    `Sitemap: ${siteUrl}/sitemap.xml`,
    "",
  ].join("\n");
}

export function nginxConfig({ contentSecurityPolicy, redirects }: SiteManifest): string {
  const headers = PAGE_HEADERS(contentSecurityPolicy).map(([name, value]) => `add_header ${name} "${value}" always;`);
  const moved = Object.entries(redirects).map(([from, to]) => `  location = ${from} { return 301 ${to}; }`);
  return `# Made by \`npm run build -w @toolhive/website\`: copy website/build to /srv/toolhive and include this file.
server {
  listen 80;
  root /srv/toolhive;
  error_page 404 /404.html;
  charset utf-8;
  types {
    text/html html; text/css css; text/javascript js; application/json json; image/svg+xml svg; image/png png;
    font/woff2 woff2; text/plain txt; text/markdown md; application/yaml yaml; application/xml xml;
  }
  gzip_static on;
  ${headers.join("\n  ")}

  location /1/ { proxy_pass ${SEARCH_UPSTREAM}; }
  location ~ ^(${[MCP_PATH, CARD_PATH, CATALOG_PATH].map(escapePattern).join("|")})$ {
    proxy_pass ${SEARCH_UPSTREAM};
    proxy_set_header Host $host;
    proxy_buffering off;
  }
  location /assets/ {
    add_header Cache-Control "public, max-age=31536000, immutable";
    add_header X-Content-Type-Options "nosniff" always;
  }
${moved.join("\n")}
  location ~ ^/index\\.html$ { return 301 /$is_args$args; }
  location ~ ^(/.+?)(/index)?\\.html$ {
    if (-f $document_root$1/index.html) { return 301 $1$is_args$args; }
  }
  location / { try_files $uri $uri/index.html =404; }
}
`;
}

export function cdnHeaders({ contentSecurityPolicy }: SiteManifest): string {
  const page = PAGE_HEADERS(contentSecurityPolicy).map(([name, value]) => `  ${name}: ${value}`);
  return `/*\n${page.join("\n")}\n/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n`;
}

export function cdnRedirects({ redirects }: SiteManifest): string {
  return `${Object.entries(redirects)
    .map(([from, to]) => `${from} ${to} 301`)
    .join("\n")}\n`;
}
