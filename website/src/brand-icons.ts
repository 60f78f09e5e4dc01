/**
 * Icons of the five places that the header and the footer link to. Their pictures are `static/img/icons/NAME.svg`, drawn on a 24 × 24 grid in
 * one colour; the stylesheet paints them as masks (`.icon-link--NAME`).
 */
export interface BrandIcon {
  readonly name: string;
  readonly title: string;
}

export const BRAND_ICONS = {
  codeHost: { name: "code-host", title: "GitHub" },
  chat: { name: "chat", title: "Discord" },
  video: { name: "video", title: "YouTube" },
  professionalNetwork: { name: "professional-network", title: "LinkedIn" },
  microblog: { name: "microblog", title: "X" },
} as const satisfies Record<string, BrandIcon>;

/** In the order in which they are shown. */
export const SOCIAL_PLACES = ["codeHost", "chat", "video", "professionalNetwork", "microblog"] as const;

/** One footer icon as raw HTML, because the footer's configuration cannot hold components. */
export function iconLink({ label, href, name }: { label: string; href: string; name: string }): string {
  return (
    `<a class="footer-icon icon-link--${name}" href="${href}" target="_blank" rel="noopener noreferrer" ` +
    `aria-label="${label}" title="${label}"></a>`
  );
}
