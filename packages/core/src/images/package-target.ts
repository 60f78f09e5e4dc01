/**
 * Servers that are given as a package: `npx://` (npm), `uvx://` (PyPI), `go://` (a Go module or a folder). The text ends up
 * in the build of an image, so it has to be exactly a package and nothing else. `#PROGRAM` behind it names one of its programs.
 */
import { posix } from "node:path";
import { ThvError } from "../support/errors.ts";
import { findRelativeFolder, type PackageScheme, parseTarget } from "../target/target.ts";

export type PackageTarget =
  | {
      readonly kind: "package";
      readonly scheme: PackageScheme;
      /** With its version. */
      readonly name: string;
      /** Which of its programs is the server; absent for the one that its manager would start. */
      readonly program?: string;
    }
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

const PROGRAM = /^[A-Za-z0-9_][A-Za-z0-9._+-]*$/;

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
  const [pack = "", ...programs] = name.split("#");
  if (name.length > MAX_LENGTH || !pattern.test(pack)) {
    throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" does not name a package.`, {
      hint: `Write it as ${example}.`,
    });
  }
  const [program] = programs;
  if (program === undefined) return { kind: "package", scheme, name: pack };
  if (scheme === "go" || programs.length > 1 || !PROGRAM.test(program)) throw createProgramError(text, scheme, program);
  return { kind: "package", scheme, name: pack, program };
}

function createProgramError(text: string, scheme: PackageScheme, program: string): ThvError {
  const cut = text.slice(0, 100);
  if (scheme === "go") {
    return new ThvError("INVALID_ARGUMENT", `"${cut}" names a program, and a Go package is one.`, {
      hint: "Write the path of the program's package: go://example.com/user/server/cmd/program@v1.2.3",
    });
  }
  return new ThvError("INVALID_ARGUMENT", `"${program.slice(0, 100)}" in "${cut}" is not the name of a program.`, {
    hint: `Write it as ${scheme}://PACKAGE#PROGRAM.`,
  });
}

function parseFolderTarget(text: string, path: string): PackageTarget {
  if (path.includes("\0")) throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not a path.`);
  return { kind: "folder", scheme: "go", path: posix.normalize(path) };
}

/** What the package manager is to install, as it writes it; of a folder, nothing. */
export function listSpecifiers(target: PackageTarget): string[] {
  if (target.kind === "folder") return [];
  // Outside of a module, Go requires a version.
  return [target.scheme === "go" && !target.name.includes("@") ? `${target.name}@latest` : target.name];
}

/** The name that `go install` gives to a program: a major version at the end of its path is none. */
export function deriveGoProgram(target: PackageTarget): string {
  if (target.kind === "folder") return "server";
  const [path = ""] = target.name.split("@");
  const parts = path.split("/");
  const last = parts.at(-1) ?? "";
  return /^v[0-9]+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last;
}

/** The image's repository: readable, and valid for every package name. */
export function deriveRepository(target: PackageTarget): string {
  const name =
    target.kind === "folder"
      ? (target.path.split("/").filter(Boolean).at(-1) ?? "root")
      : [target.name, target.program ?? ""].join("-");
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 80);
  return `toolhivelocal/${target.scheme}-${readable.replace(/-$/, "") || "server"}`;
}
