/** A folder that a server gets, as a line for people. */

interface ShownMount {
  readonly source: string;
  readonly target: string;
  readonly read_only: boolean;
  /** Where links in `source` lead; absent where there are none. */
  readonly real_source?: string | undefined;
}

export function describeMount({ source, target, read_only: isReadOnly, real_source: real }: ShownMount): string {
  const from = real === undefined ? source : `${source}, a link to ${real},`;
  return `${from} at ${target} (${isReadOnly ? "read" : "write"})`;
}
