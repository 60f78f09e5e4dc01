/** The documentation of this program: a file beside it, or inside a single file. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import { type DocsLibrary, openPack, PackError } from "@toolhive/docs";
import { versionInfo } from "../../command-line/version-info.ts";
import { findProgram, resolveProgram } from "../../installation/find-installation.ts";

const PACK = "docs.pack";
/** Where a checkout's own build writes it, from the folder of the program. */
const BUILT_SITE = "../../../website/dist";
const CHECKOUT = /[/\\]packages[/\\]cli[/\\]dist$/;
/** Names another file. */
const VARIABLE = "TOOLHIVE_DOCS_PACK";
const BUILD_IT = "npm run build -w @toolhive/website";

export interface OwnDocs {
  readonly library: DocsLibrary;
  /** What is to be known of it, for a person; absent where all is as it should be. */
  readonly warning: string | undefined;
}

/** @throws {ThvError} `NOT_SUPPORTED` where there is none, or one that this version cannot read. */
export async function openOwnDocs(env: Readonly<Record<string, string | undefined>>): Promise<OwnDocs> {
  const library = openLibrary(await readPack(env));
  return { library, warning: describeOtherVersion(library.content.version, versionInfo().version) };
}

/** A program that was not built has no version to compare. */
export function describeOtherVersion(pages: string, own: string): string | undefined {
  return pages === own || own.endsWith("-source")
    ? undefined
    : `These pages are those of ${pages}; this thv is ${own}.`;
}

interface PackFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function readPack(env: Readonly<Record<string, string | undefined>>): Promise<PackFile> {
  const program = findProgram();
  const given = env[VARIABLE];
  if (given === undefined && program.isSingleFile) return readAsset();
  const folder = dirname(await resolveProgram(program));
  const files = given
    ? [given]
    : [...(CHECKOUT.test(folder) ? [join(folder, BUILT_SITE, PACK)] : []), join(folder, PACK)];
  for (const name of files) {
    try {
      return { name, bytes: readFileSync(name) };
    } catch (error) {
      if (given !== undefined) throw createUnreadable(given, error);
      if (readSystemCode(error) !== "ENOENT") throw error;
    }
  }
  throw createMissing(files.at(-1) ?? PACK);
}

function readAsset(): PackFile {
  try {
    return { name: PACK, bytes: Buffer.from(process.getBuiltinModule("node:sea").getRawAsset(PACK) as ArrayBuffer) };
  } catch {
    throw createMissing(PACK);
  }
}

function createUnreadable(file: string, error: unknown): ThvError {
  const code = readSystemCode(error) ?? "";
  return new ThvError(
    "FILE_FAILED",
    `${VARIABLE} is "${file}", which cannot be read: ${code === "ENOENT" ? "there is no such file" : code}.`,
    {
      hint: `Unset ${VARIABLE} to use the documentation that came with thv`,
      cause: error,
    },
  );
}

function createMissing(file: string): ThvError {
  return new ThvError("NOT_SUPPORTED", `This thv was built without its documentation: ${file} is missing.`, {
    hint: `Install thv again, or build it from a checkout: ${BUILD_IT}`,
  });
}

function openLibrary({ name, bytes }: PackFile): DocsLibrary {
  try {
    return openPack(bytes);
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    throw new ThvError("NOT_SUPPORTED", `The documentation in ${name} cannot be read: ${error.message}.`, {
      hint: `Install thv again, or build it from a checkout: ${BUILD_IT}`,
    });
  }
}
