/**
 * The bar above the navbar. Set `announcement` to `undefined` to take it away; change `id` whenever the text
 * changes, so that readers who dismissed the last one see the new one.
 */
export const announcement:
  | { id: string; content: string; isCloseable: boolean; backgroundColor?: string; textColor?: string }
  | undefined = undefined;
