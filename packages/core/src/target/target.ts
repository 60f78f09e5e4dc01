/** What the `image` of a request names: four kinds of things, told apart here and nowhere else. Nothing here needs Node.js. */

export const PACKAGE_SCHEMES = ["npx", "uvx", "go"] as const;
export type PackageScheme = (typeof PACKAGE_SCHEMES)[number];

export type Target =
  /** Of a server that runs elsewhere; whether it can be used is not checked here. */
  | { readonly kind: "address"; readonly address: string }
  /** `name` is the text after the scheme: `parsePackageTarget` says whether it is a package or a folder. */
  | { readonly kind: "package"; readonly scheme: PackageScheme; readonly name: string }
  /** What a server of a registry may be called. Without such a server and without a version, it is an image. */
  | { readonly kind: "entry"; readonly name: string; readonly version: string | undefined }
  | { readonly kind: "image"; readonly reference: string };

const ADDRESS = /^https?:\/\//i;
const PACKAGE = /^(npx|uvx|go):\/\/(.*)$/s;
/**
 * Without a slash it may be a key of our map or the last part of a long name; a namespace has a dot, a folder of images none.
 * A digest has a colon, so it is not read as a version.
 */
const ENTRY =
  /^((?:[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+\/)?[a-zA-Z0-9][a-zA-Z0-9._-]*)(?:@([a-zA-Z0-9][a-zA-Z0-9.+_-]{0,254}))?$/;
const MAX_ENTRY_LENGTH = 512;

export function parseTarget(text: string): Target {
  if (ADDRESS.test(text)) return { kind: "address", address: text };
  const [, scheme, name = ""] = PACKAGE.exec(text) ?? [];
  if (scheme !== undefined) return { kind: "package", scheme: scheme as PackageScheme, name };
  const [, entry, version] = text.length <= MAX_ENTRY_LENGTH ? (ENTRY.exec(text) ?? []) : [];
  return entry === undefined ? { kind: "image", reference: text } : { kind: "entry", name: entry, version };
}

const SOURCE_PREFIX = /^[a-z][a-z0-9-]*\/(.*)$/s;

/** Whether it may be `source/name`, the entry of one source of the registry. An image may have the same form. */
export function mayNameSource(text: string): boolean {
  const rest = SOURCE_PREFIX.exec(text)?.[1];
  return rest !== undefined && parseTarget(rest).kind === "entry";
}

/** Whether what is to run is a server that runs already, somewhere else. */
export function isRemoteTarget(text: string): boolean {
  return parseTarget(text).kind === "address";
}

/** @returns The folder of `go://./FOLDER`, which begins where its reader is; `undefined` for everything else. */
export function findRelativeFolder(text: string): string | undefined {
  const target = parseTarget(text);
  const isRelative = target.kind === "package" && target.scheme === "go" && /^\.{1,2}(?:\/|$)/.test(target.name);
  return isRelative ? target.name : undefined;
}

/** The transport of a remote server when the user names none. */
export function guessRemoteTransport(address: string): "sse" | "streamable-http" {
  return /\/sse\/?$/.test(new URL(address).pathname) ? "sse" : "streamable-http";
}
