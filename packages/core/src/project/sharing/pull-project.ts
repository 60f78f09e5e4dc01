/** Reads a project from an image registry: nothing of it is believed before its digest and its bounds were checked. */
import { computeDigest } from "../../image-registry/repository-client.ts";
import { ThvError } from "../../support/errors.ts";
import {
  createUnsuitableError,
  MAX_MANIFEST_BYTES,
  readManifest,
  type SharedFile,
  type SharedLayer,
} from "./artifact.ts";
import { findUnnamed, type NamedPath } from "./named-paths.ts";
import { atRegistry, type RegistryAccess } from "./registry-access.ts";
import type { SharedReference } from "./shared-reference.ts";

export interface PulledProject {
  readonly reference: SharedReference;
  /** Of the manifest, and so of everything in it. */
  readonly digest: string;
  /** Name of the project file. */
  readonly name: string;
  readonly text: string;
  /** Text of the lock file, if there is one. */
  readonly lock?: string;
  /** All of them, the project file first. */
  readonly files: readonly SharedFile[];
  /** Paths that it names and does not bring: they begin at a folder, which it has only where it is written. */
  readonly left: readonly NamedPath[];
}

/** @throws {ThvError} `IMAGE_NOT_FOUND`, `IMAGE_REGISTRY_REFUSED`, `IMAGE_REGISTRY_UNREACHABLE`, `INVALID_ARGUMENT`. */
export async function pullProject(reference: SharedReference, access: RegistryAccess): Promise<PulledProject> {
  const { text: shown, source } = reference;
  const { digest, files } = await atRegistry(reference, "pull", access, async (client) => {
    const named = reference.digest ?? reference.tag ?? "latest";
    const manifest = await client.findManifestBytes(named, MAX_MANIFEST_BYTES);
    if (!manifest) {
      throw new ThvError("IMAGE_NOT_FOUND", `${shown} does not exist.`, {
        hint: `Check its name and tag. One that is private needs a sign-in: docker login ${source.registry}`,
      });
    }
    const read: SharedFile[] = [];
    for (const layer of readManifest(manifest, shown)) {
      read.push({ kind: layer.kind, name: layer.name, bytes: await readLayer(layer) });
    }
    return { digest: computeDigest(manifest), files: read };

    async function readLayer({ name, digest: wanted, size }: SharedLayer): Promise<Uint8Array<ArrayBuffer>> {
      const bytes = await client.getBlob(wanted, size);
      if (bytes.length === size) return new Uint8Array(bytes);
      throw createUnsuitableError(shown, `${name} has ${bytes.length} bytes, and its manifest says ${size}`);
    }
  });
  const decode = ({ name, bytes }: SharedFile) => decodeStrictly(bytes, name, shown);
  const [main, ...others] = files;
  if (!main) throw createUnsuitableError(shown, "it has no files");
  const text = decode(main);
  const lock = others.find(({ kind }) => kind === "lock");
  const { unnamed, left } = await findUnnamed(main.name, text, others);
  if (unnamed !== undefined)
    throw createUnsuitableError(shown, `it holds ${unnamed}, which ${main.name} does not name`);
  return { reference, digest, name: main.name, text, files, left, ...(lock && { lock: decode(lock) }) };
}

function decodeStrictly(bytes: Uint8Array, name: string, reference: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw createUnsuitableError(reference, `${name} is not text in UTF-8`);
  }
}
