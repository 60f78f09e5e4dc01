/**
 * Icons of the five places the project is found at, drawn on a 24 × 24 grid in one colour.
 * The navbar paints them as CSS masks; the footer holds them inline with a name of their own.
 */
export interface BrandIcon {
  readonly name: string;
  readonly title: string;
  /** SVG path data, filled. */
  readonly path: string;
}

export const BRAND_ICONS = {
  codeHost: {
    name: "code-host",
    title: "GitHub",
    path: "M12 1.8a10.2 10.2 0 0 0-3.2 19.9c.5.1.7-.2.7-.5v-1.9c-2.8.6-3.4-1.2-3.4-1.2-.5-1.2-1.1-1.5-1.1-1.5-.9-.6.1-.6.1-.6 1 .1 1.5 1 1.5 1 .9 1.6 2.4 1.1 3 .9.1-.7.4-1.1.6-1.4-2.2-.3-4.6-1.1-4.6-5 0-1.1.4-2 1-2.7-.1-.3-.4-1.3.1-2.7 0 0 .8-.3 2.8 1a9.6 9.6 0 0 1 5 0c2-1.3 2.8-1 2.8-1 .5 1.4.2 2.4.1 2.7.6.7 1 1.6 1 2.7 0 3.9-2.4 4.7-4.6 5 .4.3.7.9.7 1.9v2.8c0 .3.2.6.7.5A10.2 10.2 0 0 0 12 1.8Z",
  },
  chat: {
    name: "chat",
    title: "Discord",
    path: "M19.3 5.3A16 16 0 0 0 15.3 4l-.5 1a14.8 14.8 0 0 0-5.6 0l-.5-1a16 16 0 0 0-4 1.3C2.2 9 1.5 12.7 1.8 16.3a16.2 16.2 0 0 0 4.9 2.5l1.1-1.7-1.7-.8.4-.3a11.5 11.5 0 0 0 11 0l.4.3-1.7.8 1.1 1.7a16.2 16.2 0 0 0 4.9-2.5c.4-4.2-.7-7.8-2.9-11ZM8.6 14.2c-1 0-1.7-.9-1.7-2s.8-2 1.7-2c1 0 1.8.9 1.7 2 0 1.1-.7 2-1.7 2Zm6.8 0c-1 0-1.7-.9-1.7-2s.8-2 1.7-2c1 0 1.8.9 1.7 2 0 1.1-.7 2-1.7 2Z",
  },
  video: {
    name: "video",
    title: "YouTube",
    path: "M22 7.6a2.6 2.6 0 0 0-1.8-1.9C18.6 5.3 12 5.3 12 5.3s-6.6 0-8.2.4A2.6 2.6 0 0 0 2 7.6 27 27 0 0 0 1.6 12 27 27 0 0 0 2 16.4a2.6 2.6 0 0 0 1.8 1.9c1.6.4 8.2.4 8.2.4s6.6 0 8.2-.4a2.6 2.6 0 0 0 1.8-1.9 27 27 0 0 0 .4-4.4 27 27 0 0 0-.4-4.4ZM9.9 15V9l5.3 3-5.3 3Z",
  },
  professionalNetwork: {
    name: "professional-network",
    title: "LinkedIn",
    path: "M4.8 3a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8ZM3.2 8.5h3.2V21H3.2V8.5Zm5.3 0h3.1v1.7c.6-1 1.7-2 3.6-2 3.6 0 4.3 2.2 4.3 5.4V21h-3.2v-6.6c0-1.5-.1-3.2-2.1-3.2s-2.5 1.5-2.5 3.1V21H8.5V8.5Z",
  },
  microblog: {
    name: "microblog",
    title: "X",
    path: "M17.7 3h3.1l-6.8 7.7L22 21h-6.2l-4.9-6.3L5.3 21H2.2l7.2-8.3L2 3h6.4l4.4 5.8L17.7 3Zm-1.1 16.2h1.7L7.5 4.7H5.7l10.9 14.5Z",
  },
} as const satisfies Record<string, BrandIcon>;

/** One footer icon as raw HTML, because the footer's configuration cannot hold components. */
export function iconLink({ label, href, icon }: { label: string; href: string; icon: BrandIcon }): string {
  return (
    `<a class="footer-icon" href="${href}" target="_blank" rel="noopener noreferrer" ` +
    `aria-label="${icon.title} (${label.toLowerCase()})" title="${icon.title}">` +
    `<svg viewBox="0 0 24 24" width="22" height="22" fill="currentColor" aria-hidden="true"><path d="${icon.path}"/></svg></a>`
  );
}
