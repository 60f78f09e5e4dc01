/** What the operations on project files at image registries do. */
import { resolve } from "node:path";
import {
  listExposedValues,
  parseSharedReference,
  placeLock,
  pullProject,
  pushProject,
  type RegistryAccess,
  readLock,
  readProject,
  type SharedFile,
  ThvError,
} from "@toolhive/core";
import type { Handlers } from "../../contract/contract.ts";
import type { SHARED_PROJECT_OPERATIONS } from "../../contract/project/shared-project.ts";

/** Name of a project file that is in no folder. */
const NAME = "thv.yaml";

/** @param images How image registries are reached, and where the user's sign-ins are. */
export function sharedProjectHandlers(
  images: Omit<RegistryAccess, "signal">,
): Pick<Handlers, keyof typeof SHARED_PROJECT_OPERATIONS> {
  return {
    pushProject: async ({ body }, { signal }) => {
      const { file, lock, files = [], replaces, shares_secrets: mayShare = false } = body;
      const reference = parseSharedReference(body.reference);
      const exposed = listExposedValues(readProject(file, resolve("/", NAME)));
      if (exposed.length > 0 && !mayShare) {
        const sentence = `${exposed.join(", ")} looks secret, and everybody who may pull the project would read it.`;
        throw new ThvError("NOT_CONFIRMED", sentence, {
          hint: "Nothing was sent. Name a stored secret in its place, or send shares_secrets.",
        });
      }
      if (lock !== undefined) readLock(lock, "The lock file", "lock");
      const all = [
        describeFile("project", NAME, file),
        ...(lock === undefined ? [] : [describeFile("lock", placeLock(NAME), lock)]),
        ...files.map(({ name, text }) => describeFile("file", name, text)),
      ];
      const { digest, sent, before } = await pushProject({ reference, files: all, replaces }, { ...images, signal });
      return { reference: reference.text, digest, sent, ...(before !== undefined && { replaced: before }) };
    },
    pullProject: async ({ body }, { signal }) => {
      const pulled = await pullProject(parseSharedReference(body.reference), { ...images, signal });
      const { reference, digest, name, text, lock, left } = pulled;
      const beside = pulled.files.filter(({ kind }) => kind === "file");
      return {
        reference: reference.text,
        digest,
        name,
        file: text,
        ...(lock !== undefined && { lock }),
        ...(beside.length > 0 && {
          files: beside.map((file) => ({ name: file.name, text: Buffer.from(file.bytes).toString("utf8") })),
        }),
        left_out: left.map(({ member, path }) => ({ member, path })),
      };
    },
  };
}

function describeFile(kind: SharedFile["kind"], name: string, text: string): SharedFile {
  return { kind, name, bytes: new Uint8Array(Buffer.from(text)) };
}
