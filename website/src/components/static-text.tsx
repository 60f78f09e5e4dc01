/** A paragraph, list, row or cell whose HTML was made when the page was compiled (`plugins/static-text`). */
import type { StaticPart } from "@site/plugins/static-text/client/read-parts.ts";
import { createElement, useRef } from "react";
import { useStaticLinks } from "./static-links.ts";

export interface StaticTextProps {
  readonly as: "p" | "ul" | "ol" | "li" | "blockquote" | "thead" | "tbody" | "tr" | "td";
  readonly align?: string;
  readonly part: StaticPart;
}

export function StaticText({ as, align, part }: StaticTextProps) {
  const box = useRef<HTMLElement>(null);
  useStaticLinks(part, box);
  return createElement(as, { ...part, ref: box, align });
}
