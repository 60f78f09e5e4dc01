/** `--tools` and `--tools-override` of a server or a group: the file is read here, where the caller is. */
import type { OperationInput } from "@toolhive/api/client";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { describeFileFailure } from "@toolhive/core/file-failure";
import { parseJson } from "@toolhive/http/values";

type Members = Pick<OperationInput<"createWorkload">["body"], "tools" | "tools_override">;

interface ToolInput {
  readonly tools?: readonly string[] | undefined;
  readonly toolsOverride?: string | undefined;
}

/** @param problems Gets a sentence for everything that is wrong with the file. */
export async function readTools({ tools = [], toolsOverride: path }: ToolInput, problems: string[]): Promise<Members> {
  const overrides = path === undefined ? undefined : await readOverrides(path, problems);
  return {
    ...(tools.length > 0 && { tools: [...tools] }),
    ...(overrides && { tools_override: overrides }),
  };
}

async function readOverrides(path: string, problems: string[]): Promise<Members["tools_override"]> {
  let file: unknown;
  try {
    const text = await readBoundedText(path, { mayWait: true });
    file = parseJson(text);
    if (file === undefined) throw new Error((await import("@toolhive/core/json-fault")).describeJsonFault(text));
  } catch (error) {
    problems.push(`--tools-override is "${path}", which cannot be used: ${describeFileFailure(error)}`);
    return undefined;
  }
  // Only here, because most runs have no such file.
  const { listProblems, listSentences, ToolOverrideFileSchema } = await import("@toolhive/core");
  const wrong = listSentences(listProblems(ToolOverrideFileSchema, file, { root: "the file" }));
  problems.push(...wrong.map((problem) => `${path}: ${problem}`));
  return wrong.length > 0 ? undefined : (file as { toolsOverride: Members["tools_override"] }).toolsOverride;
}
