/** What the test files of a run ask for by the names that they use: only that is prepared. */

export interface Needs {
  readonly engines: boolean;
  readonly windows: boolean;
  readonly bareDebian: boolean;
  readonly openSearch: boolean;
  readonly peers: boolean;
  readonly packages: boolean;
  readonly cluster: boolean;
}

/** A test file imports one of these, and leaves its tests out with the reason that it gets. */
const NAMES: Readonly<Record<keyof Needs, RegExp>> = {
  engines: /\b(describeEngines|getTestEngines|listEnginePairs)\b/,
  windows: /\bfindWindowsObstacle\b/,
  bareDebian: /\bfindBareDebianObstacle\b/,
  openSearch: /\bfindOpenSearchObstacle\b/,
  peers: /\bfindPeerObstacle\b/,
  packages: /\bfindPackageObstacle\b/,
  cluster: /\bdescribeCluster\b/,
};

/** @param sources Of the test files. */
export function findNeeds(sources: readonly string[]): Needs {
  const isUsed = (need: keyof Needs) => sources.some((source) => NAMES[need].test(source));
  return {
    engines: isUsed("engines"),
    windows: isUsed("windows"),
    bareDebian: isUsed("bareDebian"),
    openSearch: isUsed("openSearch"),
    peers: isUsed("peers"),
    packages: isUsed("packages"),
    cluster: isUsed("cluster"),
  };
}
