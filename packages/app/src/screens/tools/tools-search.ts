/** Which part of what a server offers an address names. Here alone, so that the router does not load the screen. */
export const KINDS = ["tools", "prompts", "resources"] as const;
export type Kind = (typeof KINDS)[number];
const MAX_ITEM = 2_000;

export interface TabSearch {
  readonly kind?: Kind;
  readonly item?: string;
}

export function readTabSearch({ kind, item }: Record<string, unknown>): TabSearch {
  const known = KINDS.find((each) => each === kind);
  return {
    ...(known !== undefined && { kind: known }),
    ...((typeof item === "string" || typeof item === "number") && { item: String(item).slice(0, MAX_ITEM) }),
  };
}
