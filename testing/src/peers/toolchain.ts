/** What a family of peers needs: other people's SDKs in one language, with programs of ours that only use their public API. */
export interface PeerToolchain {
  /** Fetches and builds what is missing. @throws {Error} Where it cannot be had. */
  prepare(onProgress: (message: string) => unknown): Promise<void>;
  /** Why no program of it can be started here, or `undefined`. For titles of skipped tests. */
  findObstacle(): Promise<string | undefined>;
  /** The command line of a peer, which is followed by `serve`, `stdio` or `converse`. */
  findCommand(sdk: string): Promise<readonly string[]>;
  /** The version of the SDK that is pinned here. */
  readVersion(sdk: string): Promise<string>;
}
