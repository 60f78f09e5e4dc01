/** The servers of a group and its choice of tools: a file that the kubelet replaces when the operator has changed it. */
import { type Logger, listProblems, listSentences } from "@toolhive/core";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { describeError, ThvError } from "@toolhive/core/errors";
import * as Type from "typebox";
import { type GroupFile, NAMINGS } from "../contract/index.ts";
import { followFile } from "./follow-file.ts";

const HINT = "The operator writes this file. Look at the object's conditions: kubectl describe mcpgroup NAME";

const ToolSchema = { server: Type.Optional(Type.String()), name: Type.String() };
const GroupFileSchema = Type.Object({
  version: Type.String({ minLength: 1 }),
  members: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1 }),
      url: Type.String({ pattern: "^http://" }),
      run: Type.String(),
      isRunning: Type.Boolean(),
      reason: Type.Optional(Type.String()),
    }),
    { maxItems: 1_000 },
  ),
  choice: Type.Object({
    tools: Type.Optional(Type.Array(Type.Object(ToolSchema))),
    overrides: Type.Optional(
      Type.Array(
        Type.Object({
          ...ToolSchema,
          override: Type.Object({ name: Type.Optional(Type.String()), description: Type.Optional(Type.String()) }),
        }),
      ),
    ),
  }),
  naming: Type.Enum([...NAMINGS]),
});

/** @throws {ThvError} `CONFIG_INVALID`. */
export async function readGroupFile(path: string): Promise<GroupFile> {
  return parseGroupFile(await readFileText(path), path);
}

/** The file, and whether the settings beside it are those that the proxy was started with. */
export interface FollowedGroupFile extends GroupFile {
  readonly isOfThisProxy: boolean;
}

interface FollowOptions {
  readonly path: string;
  /** What it was at first. */
  readonly first: GroupFile;
  /** @returns Whether the settings beside the file, which arrive with it, are those of this proxy. */
  readonly checkSettings: () => Promise<boolean>;
  readonly onChange: (file: FollowedGroupFile) => void;
  readonly log: Logger;
}

/** Until the signal fires. Never rejects: a file that cannot be read is ignored, and the earlier one stays in force. */
export async function followGroupFile(
  { checkSettings, first, ...options }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  const read = async (path: string): Promise<FollowedGroupFile> => ({
    ...(await readGroupFile(path)),
    isOfThisProxy: await checkSettings(),
  });
  // Settings that are another proxy's today may be this one's again tomorrow, with the same file.
  const readVersion = ({ version, isOfThisProxy }: FollowedGroupFile) => `${version} ${isOfThisProxy}`;
  const what = "the servers of the group stay";
  await followFile({ ...options, first: { ...first, isOfThisProxy: true }, read, readVersion, what }, signal);
}

async function readFileText(path: string): Promise<string> {
  try {
    return await readBoundedText(path);
  } catch (error) {
    throw new ThvError("CONFIG_INVALID", `${path} cannot be read: ${describeError(error)}`, {
      hint: HINT,
      cause: error,
    });
  }
}

function parseGroupFile(text: string, path: string): GroupFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ThvError("CONFIG_INVALID", `${path} is no JSON: ${describeError(error)}`, { hint: HINT, cause: error });
  }
  const problems = listSentences(listProblems(GroupFileSchema, value));
  if (problems.length === 0) return value as GroupFile;
  throw new ThvError("CONFIG_INVALID", `${path} is wrong: ${problems.join("; ")}.`, { hint: HINT });
}
