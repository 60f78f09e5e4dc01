/**
 * Servers that are given as a package: `npx://` (npm), `uvx://` (PyPI), `go://` (a Go module or a folder). The text ends up
 * in the entry point of an image, so it has to be exactly a package and nothing else.
 */
import { posix } from "node:path";
import { ThvError } from "../support/errors.ts";
import { findRelativeFolder, type PackageScheme, parseTarget } from "../target/target.ts";

export type PackageTarget =
  | { readonly kind: "package"; readonly scheme: PackageScheme; readonly name: string }
  /** A folder with Go source on this machine; the path is absolute and without `..`. */
  | { readonly kind: "folder"; readonly scheme: "go"; readonly path: string };

const VERSION = "[A-Za-z0-9][A-Za-z0-9.+_-]*";

const NAMES: Readonly<Record<PackageScheme, { readonly pattern: RegExp; readonly example: string }>> = {
  npx: {
    pattern: new RegExp(`^(?:@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*(?:@[~^]?${VERSION})?$`),
    example: "npx://@scope/server or npx://server@1.2.3",
  },
  uvx: {
    // https://packaging.python.org/en/latest/specifications/name-normalization/
    pattern: new RegExp(
      `^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\\[[A-Za-z0-9,._-]+\\])?(?:(?:@|==)${VERSION})?$`,
    ),
    example: "uvx://server or uvx://server@1.2.3",
  },
  go: {
    // https://go.dev/ref/mod#go-mod-file-ident: the first element is a host, no element begins or ends with a dot.
    pattern: new RegExp(
      `^[a-z0-9-]+(?:\\.[a-z0-9-]+)+(?:/[A-Za-z0-9_~-](?:[A-Za-z0-9._~-]*[A-Za-z0-9_~-])?)+(?:@v?${VERSION})?$`,
    ),
    example: "go://example.com/user/server@v1.2.3 or go:///home/me/server",
  },
};

/** Characters; npm's own bound for a name is 214. */
const MAX_LENGTH = 300;

/**
 * @returns `undefined` for a text without these schemes, which is an image or a name.
 * @throws {ThvError} `INVALID_ARGUMENT` for a text with a scheme that is not a package.
 */
export function parsePackageTarget(text: string): PackageTarget | undefined {
  const target = parseTarget(text);
  if (target.kind !== "package") return undefined;
  const { scheme, name } = target;
  if (scheme === "go" && name.startsWith("/")) return parseFolderTarget(text, name);
  if (findRelativeFolder(text) !== undefined) {
    throw new ThvError("INVALID_ARGUMENT", `"${text}" is a relative path, which the supervisor cannot resolve.`, {
      hint: "Give the absolute path: go:///home/me/server",
    });
  }
  const { pattern, example } = NAMES[scheme];
  if (name.length > MAX_LENGTH || !pattern.test(name)) {
    throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" does not name a package.`, {
      hint: `Write it as ${example}.`,
    });
  }
  return { kind: "package", scheme, name };
}

function parseFolderTarget(text: string, path: string): PackageTarget {
  if (path.includes("\0")) throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not a path.`);
  return { kind: "folder", scheme: "go", path: posix.normalize(path) };
}

/** Arguments of the container's entry point, which is never read by a shell. */
export function getEntryPoint(target: PackageTarget): string[] {
  switch (target.scheme) {
    case "npx":
      return ["npx", "--yes", "--", target.name];
    case "uvx":
      return ["uvx", target.name];
    case "go":
      if (target.kind === "folder") return ["go", "run", "."];
      // Outside of a module, Go requires a version.
      return ["go", "run", target.name.includes("@") ? target.name : `${target.name}@latest`];
  }
}

/** The image's repository: readable, and valid for every package name. */
export function deriveRepository(target: PackageTarget): string {
  const name = target.kind === "folder" ? (target.path.split("/").filter(Boolean).at(-1) ?? "root") : target.name;
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 80);
  return `toolhivelocal/${target.scheme}-${readable.replace(/-$/, "") || "server"}`;
}
