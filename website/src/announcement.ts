/**
 * The bar above the navbar. Set `announcement` to `undefined` to take it away; change `id` whenever the text
 * changes, so that readers who dismissed the last one see the new one.
 */
export interface Announcement {
  readonly id: string;
  readonly content: string;
  readonly isCloseable: boolean;
  readonly backgroundColor: string;
  readonly textColor: string;
}

export const announcement: Announcement | undefined = {
  id: "independent-implementation",
  content:
    'An independent implementation in TypeScript, compatible with ToolHive v0.1.9. <a href="/toolhive/faq#is-this-the-original-toolhive">What that means</a>',
  isCloseable: true,
  backgroundColor: "var(--honey-wash)",
  textColor: "var(--ink)",
};
