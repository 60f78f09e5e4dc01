/** Stores a project at an image registry: first what it consists of, and last the tag, so that a tag never names half of it. */
import { computeDigest } from "../../image-registry/repository-client.ts";
import { ThvError } from "../../support/errors.ts";
import {
  buildArtifact,
  findNameProblem,
  isProjectManifest,
  MAX_MANIFEST_BYTES,
  MAX_SHARED_BYTES,
  MAX_SHARED_FILES,
  type SharedFile,
} from "./artifact.ts";
import { findUnnamed } from "./named-paths.ts";
import { atRegistry, type RegistryAccess } from "./registry-access.ts";
import type { SharedReference } from "./shared-reference.ts";

/** Bytes of a manifest that stands where ours should; one of an image may be large. */
const MAX_PRESENT_BYTES = 4 * 1024 * 1024;

export interface ProjectPush {
  readonly reference: SharedReference;
  /** The project file first. */
  readonly files: readonly SharedFile[];
  /** The digest that the tag may have now, so that nothing which somebody else has pushed since is lost. `any`: whichever. */
  readonly replaces?: string | undefined;
}

export interface PushedProject {
  readonly digest: string;
  /** Blobs that the registry did not have. */
  readonly sent: number;
  /** Digest that the tag had before, if it was another one. */
  readonly before?: string;
}

/**
 * @throws {ThvError} `NOT_CONFIRMED` when the tag names another project than `replaces`, `INVALID_ARGUMENT`,
 *   `IMAGE_REGISTRY_REFUSED`, `IMAGE_REGISTRY_UNREACHABLE`.
 */
export async function pushProject(
  { reference, files, replaces }: ProjectPush,
  access: RegistryAccess,
): Promise<PushedProject> {
  const { text, digest: given, tag } = reference;
  if (given !== undefined || tag === undefined) {
    throw new ThvError("INVALID_ARGUMENT", `${text} names a digest, which nobody can choose.`, {
      hint: "Give a tag, such as :1.0, or nothing for :latest.",
    });
  }
  await assertSound(files);
  const artifact = buildArtifact(files);
  if (artifact.manifest.length > MAX_MANIFEST_BYTES) throw createBoundsError("the names of its files are too long");
  return await atRegistry(reference, "pull,push", access, async (client) => {
    const readPresent = async () => {
      const present = await client.findManifestBytes(tag, MAX_PRESENT_BYTES);
      return assertReplaceable(reference, present, artifact.digest, replaces);
    };
    const before = await readPresent();
    if (before === artifact.digest) return { digest: before, sent: 0 };
    let sent = 0;
    for (const blob of artifact.blobs) if (await client.putBlob(blob)) sent += 1;
    // Somebody else may have pushed meanwhile.
    if (sent > 0) await readPresent();
    await client.putManifest(tag, artifact.manifest);
    return { digest: artifact.digest, sent, ...(before !== undefined && { before }) };
  });
}

/** @returns The digest of what the tag names. */
function assertReplaceable(
  { text }: SharedReference,
  present: Buffer | undefined,
  ours: string,
  replaces: string | undefined,
): string | undefined {
  if (!present) return undefined;
  const digest = computeDigest(present);
  if (digest === ours) return digest;
  if (!isProjectManifest(present)) {
    throw new ThvError("INVALID_ARGUMENT", `${text} is an image or another artifact, and no project.`, {
      hint: "Nothing was sent. Choose another name or tag.",
    });
  }
  if (replaces === "any" || replaces === digest) return digest;
  throw new ThvError("NOT_CONFIRMED", `${text} is ${digest} now, which you have neither pushed nor pulled.`, {
    hint: `The tag is as it was. Look at it: thv pull ${text} FOLDER. Or replace it: thv push ${text} --yes`,
  });
}

async function assertSound(files: readonly SharedFile[]): Promise<void> {
  if (files.length > MAX_SHARED_FILES) throw createBoundsError(`it has more than ${MAX_SHARED_FILES} files`);
  if (files.reduce((total, { bytes }) => total + bytes.length, 0) > MAX_SHARED_BYTES)
    throw createBoundsError(`its files have more than ${MAX_SHARED_BYTES} bytes`);
  for (const { name } of files) {
    const problem = findNameProblem(name);
    if (problem !== undefined) throw createBoundsError(`a file is called "${name.slice(0, 200)}", and ${problem}`);
  }
  const [main, ...others] = files;
  if (!main) throw createBoundsError("it has no files");
  const { unnamed } = await findUnnamed(main.name, Buffer.from(main.bytes).toString("utf8"), others);
  if (unnamed !== undefined) throw createBoundsError(`${main.name} does not name ${unnamed}`);
}

function createBoundsError(reason: string): ThvError {
  return new ThvError("INVALID_ARGUMENT", `The project cannot be pushed: ${reason}.`, {
    hint: "Nothing was sent. Rename or remove what is too much, and push again.",
  });
}
