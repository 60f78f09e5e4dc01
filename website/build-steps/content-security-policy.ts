/**
 * The site's Content-Security-Policy, computed from the pages that were built: inline scripts and style attributes are allowed by
 * their hashes, everything else is loaded from this origin. A page with an inline script that did not exist at build time would
 * not run it.
 */
import { createHash } from "node:crypto";
import { readAttribute } from "@toolhive/search";
import type { HtmlDocument, HtmlNode } from "./html-tree.ts";

export interface InlineCode {
  readonly scripts: Set<string>;
  readonly styleAttributes: Set<string>;
  readonly styleElements: Set<string>;
}

/** Types whose `<script>` the browser runs; JSON-LD and other data blocks are not code. */
const CODE_TYPES = new Set(["", "module", "text/javascript", "application/javascript"]);

/** Adds the code of a page, as it is served, to what was found in others. */
export function collectInlineCode(node: HtmlDocument | HtmlNode, into: InlineCode): void {
  if ("attrs" in node) {
    const style = readAttribute(node, "style");
    if (style !== undefined) into.styleAttributes.add(style);
    const text = node.childNodes.map((child) => ("value" in child ? child.value : "")).join("");
    if (node.tagName === "style") into.styleElements.add(text);
    if (node.tagName === "script" && readAttribute(node, "src") === undefined && isCode(readAttribute(node, "type"))) {
      into.scripts.add(text);
      // Markup that an inline script inserts has style attributes of its own.
      for (const [, inserted] of text.matchAll(/style="([^"]*)"/g)) into.styleAttributes.add(inserted ?? "");
    }
  }
  if ("childNodes" in node) for (const child of node.childNodes) collectInlineCode(child, into);
}

function isCode(type = ""): boolean {
  return CODE_TYPES.has(type);
}

export interface PolicyOptions {
  readonly inline: InlineCode;
  /** Further origins that the page may connect to: the reader's own local API, a hosted search provider. */
  readonly connectTo: readonly string[];
  /** Further origins that scripts come from: configured analytics only. */
  readonly scriptsFrom: readonly string[];
}

export function contentSecurityPolicy({ inline, connectTo, scriptsFrom }: PolicyOptions): string {
  const styleHashes = [...inline.styleElements].map(hashSource);
  const attributeHashes = [...inline.styleAttributes].map(hashSource);
  const directives: Record<string, readonly string[]> = {
    // Firefox judges what is fetched for later by nothing else. What has no directive of its own below is such a fetch, or the
    // manifest of an application, whose directive WebKit calls unknown in its console.
    "default-src": ["'self'"],
    "script-src": ["'self'", ...[...inline.scripts].map(hashSource), ...scriptsFrom],
    "style-src": ["'self'", ...styleHashes],
    "style-src-attr": attributeHashes.length === 0 ? ["'none'"] : ["'unsafe-hashes'", ...attributeHashes],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'", ...connectTo],
    "media-src": ["'none'"],
    "frame-src": ["'none'"],
    "worker-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "object-src": ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${[...sources].join(" ")}`)
    .join("; ");
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}
