/** `--permission-profile` and `--volume` of `thv run`: files are read and paths made absolute here, where the caller is. */
import { basename } from "node:path";
import type { OperationInput } from "@toolhive/api/client";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { describeError } from "@toolhive/core/errors";
import { describeFileFailure } from "@toolhive/core/file-failure";
import {
  BUILT_IN_PROFILES,
  formatMountDeclaration,
  isBuiltInProfile,
  parseMountDeclaration,
  resolveSource,
} from "@toolhive/core/permissions";
import { isRecord, parseJson } from "@toolhive/http/values";
import type { RunInput } from "./definition.ts";

type PermissionProfile = NonNullable<OperationInput<"createWorkload">["body"]["permission_profile"]>;

export async function readPermissions(input: RunInput, problems: string[]) {
  const volumes = input.volume.flatMap((text) => wholeMount(text, "--volume", problems));
  const given = input.permissionProfile;
  const profile = given === undefined ? undefined : await readProfile(given, problems);
  return {
    ...(profile && { permission_profile: profile }),
    ...(volumes.length > 0 && { volumes }),
  };
}

async function readProfile(given: string, problems: string[]): Promise<PermissionProfile | undefined> {
  if (isBuiltInProfile(given)) return { name: given };
  const cannot = `--permission-profile is "${given}", which`;
  let text: string;
  try {
    text = await readBoundedText(given, { mayWait: true });
  } catch (error) {
    problems.push(
      `${cannot} is neither ${BUILT_IN_PROFILES.join(" nor ")} nor a file that can be read: ${describeFileFailure(error)}`,
    );
    return undefined;
  }
  try {
    const profile = parseJson(text);
    if (profile === undefined) throw new Error((await import("@toolhive/core/json-fault")).describeJsonFault(text));
    if (!isRecord(profile)) throw new Error("not an object");
    // Only here, because most runs have no such file. Named by the file, which is what has to be corrected.
    const { listProblems, listSentences, PermissionProfileSchema } = await import("@toolhive/core");
    const wrong = listSentences(listProblems(PermissionProfileSchema, profile, { root: "the profile" }));
    problems.push(...wrong.map((problem) => `${basename(given)}: ${problem}`));
    if (wrong.length > 0) return undefined;
    return withWholeMounts(profile, basename(given), problems);
  } catch (error) {
    problems.push(`${cannot} is no JSON object: ${describeError(error)}`);
    return undefined;
  }
}

/** Paths in it begin where the command was given, and not where the supervisor is. */
function withWholeMounts(profile: object, where: string, problems: string[]): PermissionProfile {
  const whole = (items: unknown) =>
    Array.isArray(items)
      ? items.flatMap((item) => (typeof item === "string" ? wholeMount(item, where, problems) : item))
      : items;
  const members = Object.entries(profile).map(([key, value]) => [
    key,
    key === "read" || key === "write" ? whole(value) : value,
  ]);
  return Object.fromEntries(members) as PermissionProfile;
}

/** @returns Nothing for one that is wrong: the reader of the request does not report it again. */
function wholeMount(text: string, where: string, problems: string[]): string[] {
  const declaration = parseMountDeclaration(text);
  if (typeof declaration !== "string") return [formatMountDeclaration(resolveSource(declaration, process.cwd()))];
  problems.push(`${where}: ${declaration}`);
  return [];
}
