/**
 * A shared project as an artifact of an image registry: a manifest with one layer for each file, whose title is the file's
 * name, so that `oras pull` writes the same files.
 * https://github.com/opencontainers/image-spec/blob/main/manifest.md
 */
import { isRecord, parseJson, quote } from "@toolhive/http/values";
import * as Type from "typebox";
import { Check } from "typebox/schema";
import { MAX_NAMED_FILE_BYTES } from "../../files/bounded-file.ts";
import { computeDigest, MANIFEST_TYPE } from "../../image-registry/repository-client.ts";
import { BRAND } from "../../support/brand.ts";
import { ThvError } from "../../support/errors.ts";

/** Files of one project, the project file and its lock among them. */
export const MAX_SHARED_FILES = 32;
/** Bytes of all files of one project. */
export const MAX_SHARED_BYTES = 4 * 1024 * 1024;
export const MAX_MANIFEST_BYTES = 64 * 1024;
const MAX_NAME_LENGTH = 200;

const TITLE = "org.opencontainers.image.title";
const LAYER_TYPES = {
  project: `${BRAND.projectMediaType}+yaml`,
  lock: `${BRAND.projectMediaType}.lock+json`,
  file: `${BRAND.projectMediaType}.file`,
} as const;
/** The specification's own, for artifacts that need no configuration. */
const EMPTY_CONFIG = { mediaType: "application/vnd.oci.empty.v1+json", text: "{}" } as const;

export type SharedFileKind = keyof typeof LAYER_TYPES;

export interface SharedFile {
  readonly kind: SharedFileKind;
  /** Path relative to the folder of the project file, with `/`. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Artifact {
  readonly manifest: Uint8Array<ArrayBuffer>;
  /** Of the manifest. */
  readonly digest: string;
  readonly blobs: readonly Uint8Array<ArrayBuffer>[];
}

/** A file that is yet to be read. */
export interface SharedLayer {
  readonly kind: SharedFileKind;
  readonly name: string;
  readonly digest: string;
  readonly size: number;
}

/** Equal files give equal bytes, so that a push without a change changes nothing. */
export function buildArtifact(files: readonly SharedFile[]): Artifact {
  const config = Buffer.from(EMPTY_CONFIG.text);
  const layers = files.map(({ kind, name, bytes }) => ({
    mediaType: LAYER_TYPES[kind],
    digest: computeDigest(bytes),
    size: bytes.length,
    annotations: { [TITLE]: name },
  }));
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: BRAND.projectMediaType,
      config: { mediaType: EMPTY_CONFIG.mediaType, digest: computeDigest(config), size: config.length },
      layers,
    }),
  );
  return { manifest, digest: computeDigest(manifest), blobs: [config, ...files.map(({ bytes }) => bytes)] };
}

const LayerSchema = Type.Object({
  mediaType: Type.String({ maxLength: 200 }),
  digest: Type.String({ pattern: "^sha256:[0-9a-f]{64}$" }),
  size: Type.Integer({ minimum: 0, maximum: MAX_NAMED_FILE_BYTES }),
  annotations: Type.Record(Type.String(), Type.String({ maxLength: 1_000 })),
});
const ManifestSchema = Type.Object({
  schemaVersion: Type.Literal(2),
  artifactType: Type.Literal(BRAND.projectMediaType),
  layers: Type.Array(LayerSchema, { minItems: 1, maxItems: MAX_SHARED_FILES }),
});

/** Whether a manifest says that it is one of a project. */
export function isProjectManifest(bytes: Buffer): boolean {
  const manifest = parseJson(bytes.toString("utf8"));
  return isRecord(manifest) && manifest.artifactType === BRAND.projectMediaType;
}

/**
 * @param reference For messages.
 * @returns The layers, the project file first. @throws {ThvError} `INVALID_ARGUMENT` for anything but a whole project.
 */
export function readManifest(bytes: Buffer, reference: string): SharedLayer[] {
  if (!isProjectManifest(bytes)) throw createUnsuitableError(reference, "it is something else than a project file");
  const manifest = parseJson(bytes.toString("utf8"));
  if (!Check(ManifestSchema, manifest)) {
    const bounds = `1 to ${MAX_SHARED_FILES} files of at most ${MAX_NAMED_FILE_BYTES} bytes, each with a title`;
    throw createUnsuitableError(reference, `its manifest does not list ${bounds}`);
  }
  const layers = (manifest as Type.Static<typeof ManifestSchema>).layers.map((layer) => readLayer(layer, reference));
  if (layers.reduce((total, { size }) => total + size, 0) > MAX_SHARED_BYTES)
    throw createUnsuitableError(reference, `its files have more than ${MAX_SHARED_BYTES} bytes`);
  assertApart(layers, reference);
  const count = (kind: SharedFileKind) => layers.filter((layer) => layer.kind === kind).length;
  if (count("project") !== 1 || count("lock") > 1)
    throw createUnsuitableError(reference, "it does not have exactly one project file and at most one lock file");
  return layers.sort((left, right) => rank(left) - rank(right));
}

function readLayer(
  { mediaType, digest, size, annotations }: Type.Static<typeof LayerSchema>,
  reference: string,
): SharedLayer {
  const kind = (Object.keys(LAYER_TYPES) as SharedFileKind[]).find((each) => LAYER_TYPES[each] === mediaType);
  if (kind === undefined)
    throw createUnsuitableError(
      reference,
      `it holds a layer of the type ${quote(mediaType, 100)}, which no project has`,
    );
  const name = Object.hasOwn(annotations, TITLE) ? (annotations[TITLE] ?? "") : "";
  const problem = findNameProblem(name);
  if (problem !== undefined)
    throw createUnsuitableError(reference, `a file is called ${quote(name, 100)}, and ${problem}`);
  return { kind, name, digest, size };
}

function rank({ kind }: SharedLayer): number {
  return Object.keys(LAYER_TYPES).indexOf(kind);
}

/** One folder or file for each name on every system; for some, capitals and small letters are the same. */
function assertApart(layers: readonly SharedLayer[], reference: string): void {
  const names = layers.map(({ name }) => name.toLowerCase());
  for (const [index, name] of names.entries()) {
    if (names.some((other, at) => at !== index && (other === name || other.startsWith(`${name}/`))))
      throw createUnsuitableError(reference, `two of its files are called ${quote(layers[index]?.name ?? "", 100)}`);
  }
}

/** Names of devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const PART = /^[A-Za-z0-9_][A-Za-z0-9._@+-]{0,99}$/;

/**
 * What is wrong with the name of a shared file, as half a sentence. Names lead nowhere but into the folder, mean the same on
 * every system, and are none that other programs read by themselves, such as `.envrc`.
 */
export function findNameProblem(name: string): string | undefined {
  if (name === "") return "it needs a name";
  if (name.length > MAX_NAME_LENGTH) return `a name has at most ${MAX_NAME_LENGTH} characters`;
  const parts = name.split("/");
  if (parts.some((part) => part === "" || part.startsWith(".")))
    return "no part of a name begins with a dot or is empty";
  if (parts.some((part) => !PART.test(part) || part.endsWith(".") || DEVICE.test(part)))
    return "each part of a name has only letters of ASCII, digits and . _ - @ +, and is no device of Windows";
  return undefined;
}

/** @param reason End of a sentence. */
export function createUnsuitableError(reference: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("INVALID_ARGUMENT", `${reference} cannot be used: ${reason}.`, {
    hint: "Check its name. Projects are stored with: thv push",
    cause,
  });
}
