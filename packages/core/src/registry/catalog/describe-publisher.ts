/** Who publishes a server, as far as its entry says, and how far that is checked. */
import { isRemoteServer, type RegistryEntry } from "../registry-schema.ts";

export interface Publisher {
  /** An account of a forge as `github.com/owner`, or a domain. */
  readonly name: string;
  /**
   * `signature`: the image is signed by this repository, which is checked at each start. `namespace`: the name begins so; the official registry checks that when a
   * server is published, others may not. `repository`: the entry says so.
   */
  readonly basis: "signature" | "namespace" | "repository";
}

/** @returns `undefined` when the entry says nothing of it. */
export function describePublisher(entry: RegistryEntry): Publisher | undefined {
  const signed = isRemoteServer(entry) ? undefined : readOwner(entry.provenance?.repository_uri);
  if (signed !== undefined) return { name: signed, basis: "signature" };
  const namespace = readNamespace(entry.longName ?? entry.name);
  if (namespace !== undefined) return { name: namespace, basis: "namespace" };
  const owner = readOwner(entry.repository_url);
  return owner === undefined ? undefined : { name: owner, basis: "repository" };
}

const FORGES: Readonly<Record<string, string>> = { "io.github": "github.com", "io.gitlab": "gitlab.com" };

/** `io.github.owner/server` is of `github.com/owner`, `com.example/server` of `example.com`. */
function readNamespace(name: string): string | undefined {
  const slash = name.indexOf("/");
  if (slash === -1) return undefined;
  const parts = name.slice(0, slash).split(".");
  const forge = FORGES[parts.slice(0, 2).join(".")];
  if (forge !== undefined && parts.length > 2) return `${forge}/${parts.slice(2).join(".")}`;
  return parts.reverse().join(".");
}

function readOwner(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, hostname, pathname } = new URL(address);
  const [owner = ""] = pathname.split("/").filter(Boolean);
  return protocol === "https:" && owner !== "" ? `${hostname}/${owner}` : undefined;
}
