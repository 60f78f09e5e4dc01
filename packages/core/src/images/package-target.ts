/**
 * Servers that are given as a package: `npx://` (npm), `uvx://` (PyPI), `go://` (a Go module or a folder). The text ends up
 * in the build of an image, so it has to be exactly a package and nothing else. One form for all: the version, the range or the
 * commit stands behind an `@` (or, as pip writes it, behind the name), and `#PROGRAM` names one of its programs.
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
      /** Of a repository with several packages: the folder of this one. For uvx. */
      readonly subfolder?: string;
    }
  /** A folder with Go source on this machine; the path is absolute and without `..`. */
  | { readonly kind: "folder"; readonly scheme: "go"; readonly path: string };

const VERSION = "[A-Za-z0-9][A-Za-z0-9.+_-]*";
/** A version, its beginning, or any: `1.2.3`, `1.x`, `*`. */
const BOUND = "(?:\\*|[A-Za-z0-9][A-Za-z0-9.+_*-]*)";
const NPM_COMPARATOR = `(?:[~^]|[<>]=?|=)?${BOUND}`;
/** https://packaging.python.org/en/latest/specifications/version-specifiers/ */
const PYTHON_COMPARATOR = "(?:===?|~=|!=|<=?|>=?)[A-Za-z0-9][A-Za-z0-9.+!_*-]*";
const NPM_NAME = "(?:@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*";
/** https://packaging.python.org/en/latest/specifications/name-normalization/ */
const PYTHON_NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\\[[A-Za-z0-9,._-]+\\])?";

/** A repository and a branch, a tag or a commit; without a password, which would be in the image's history. */
const PART = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*";
const REPOSITORY = new RegExp(
  `^(?:github:[A-Za-z0-9][A-Za-z0-9-]*/${PART}|git\\+https://[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*(?::[0-9]{1,5})?(?:/${PART})+)(?:@${VERSION}(?:/${VERSION})*)?$`,
);

const NAMES: Readonly<Record<PackageScheme, { readonly pattern: RegExp; readonly example: string }>> = {
  npx: {
    pattern: new RegExp(`^${NPM_NAME}(?:@${NPM_COMPARATOR}(?:(?:,|\\|\\|)${NPM_COMPARATOR})*)?$`),
    example: "npx://@scope/server, npx://server@1.2.3, npx://server@>=1,<2 or npx://github:owner/repository",
  },
  uvx: {
    pattern: new RegExp(`^${PYTHON_NAME}(?:@${VERSION}|${PYTHON_COMPARATOR}(?:,${PYTHON_COMPARATOR})*)?$`),
    example: "uvx://server, uvx://server@1.2.3, uvx://server>=1,<2 or uvx://git+https://example.com/repository",
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
const SUBFOLDER = new RegExp(`^subdirectory=${PART}(?:/${PART})*$`);

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
  const [pack = "", ...fragments] = name.split("#");
  const isRepository = scheme !== "go" && REPOSITORY.test(pack);
  if (name.length > MAX_LENGTH || (!isRepository && !pattern.test(pack))) {
    throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" does not name a package.`, {
      hint: `Write it as ${example}.`,
    });
  }
  const hasSubfolder = isRepository && scheme === "uvx" && SUBFOLDER.test(fragments[0] ?? "");
  const subfolder = hasSubfolder ? fragments.shift()?.slice("subdirectory=".length) : undefined;
  const [program, ...others] = fragments;
  if (program !== undefined && (scheme === "go" || others.length > 0 || !PROGRAM.test(program)))
    throw createProgramError(text, scheme, [program, ...others].join("#"));
  return {
    kind: "package",
    scheme,
    name: pack,
    ...(program !== undefined && { program }),
    ...(subfolder !== undefined && { subfolder }),
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT` for what is not a package of the scheme's own registry, with or without a version. */
export function assertExtraPackage(scheme: Exclude<PackageScheme, "go">, text: string): void {
  const { pattern } = NAMES[scheme];
  if (text.length <= MAX_LENGTH && pattern.test(text)) return;
  const example = scheme === "npx" ? "zod@^3" : "mcp<2";
  throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" does not name a package to install with another.`, {
    hint: `Write it as its package manager does: --with '${example}'`,
  });
}

function createProgramError(text: string, scheme: PackageScheme, program: string): ThvError {
  const cut = text.slice(0, 100);
  if (scheme === "go") {
    return new ThvError("INVALID_ARGUMENT", `"${cut}" names a program, and a Go package is one.`, {
      hint: "Write the path of the program's package: go://example.com/user/server/cmd/program@v1.2.3",
    });
  }
  return new ThvError("INVALID_ARGUMENT", `"${program.slice(0, 100)}" in "${cut}" is not the name of a program.`, {
    hint: `Write it as ${scheme}://PACKAGE#PROGRAM, and the commit of a repository behind an @.`,
  });
}

function parseFolderTarget(text: string, path: string): PackageTarget {
  if (path.includes("\0")) throw new ThvError("INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not a path.`);
  return { kind: "folder", scheme: "go", path: posix.normalize(path) };
}

/** The name without version, extras, and what says where a repository is. */
export function getPackageName(target: Extract<PackageTarget, { kind: "package" }>): string {
  const name = target.name.replace(/^github:|^git\+https:\/\//, "");
  // A scope begins with an @, a version follows one.
  return name.slice(0, 1) + (name.slice(1).split(/@|[=<>!^[]|~=/, 1)[0] ?? "");
}

/**
 * What the package manager is to install, in its own form; of a folder, nothing.
 *
 * @param extra Packages that are installed with it.
 */
export function listSpecifiers(target: PackageTarget, extra: readonly string[] = []): string[] {
  if (target.kind === "folder") return [];
  const { scheme, name } = target;
  switch (scheme) {
    case "npx":
      return [formatNpm(name), ...extra.map(formatNpm)];
    case "uvx":
      return [...extra.flatMap((each) => ["--with", each]), formatPython(target)];
    case "go":
      // Outside of a module, Go requires a version.
      return [name.includes("@") ? name : `${name}@latest`];
  }
}

/** npm parts what holds together by a blank, and a repository from its commit by a #. */
function formatNpm(name: string): string {
  return REPOSITORY.test(name) ? name.replace("@", "#") : name.replaceAll(",", " ");
}

function formatPython({ name, subfolder }: Extract<PackageTarget, { kind: "package" }>): string {
  const place = name.replace(/^github:/, "git+https://github.com/");
  return subfolder === undefined ? place : `${place}#subdirectory=${subfolder}`;
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
