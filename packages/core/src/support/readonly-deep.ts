/** A type whose lists and members cannot be changed, at any depth. */
export type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: ReadonlyDeep<T[Member]> }
    : T;
