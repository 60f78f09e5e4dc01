/**
 * Icons of the five places the project is found at. Their pictures are `static/img/icons/NAME.svg`, drawn on a 24 × 24 grid in
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

/** One footer icon as raw HTML, because the footer's configuration cannot hold components. */
export function iconLink({ label, href, icon }: { label: string; href: string; icon: BrandIcon }): string {
  return (
    `<a class="footer-icon icon-link--${icon.name}" href="${href}" target="_blank" rel="noopener noreferrer" ` +
    `aria-label="${icon.title} (${label.toLowerCase()})" title="${icon.title}"></a>`
  );
}
