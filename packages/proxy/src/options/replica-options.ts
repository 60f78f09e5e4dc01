/** Replicas of a server behind several proxies. */
export interface ReplicaOptions {
  /** The secret of all proxies of this server, 32 bytes. */
  readonly key: Buffer;
  /** The server that the key is for; a session of another one is unknown here. */
  readonly scope: string;
  /** @returns IP addresses of the replicas that clients may be sent to now. */
  readonly resolve: () => Promise<readonly string[]>;
}
