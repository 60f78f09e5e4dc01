/** This thv on the machine: others beside it, a newer one, and what the shell knows of it. */
import { BRAND } from "@toolhive/core/brand";
import { findCompletion } from "../../installation/find-completion.ts";
import { type FoundProgram, findInPath } from "../../installation/find-in-path.ts";
import { findInstallation } from "../../installation/find-installation.ts";
import { isOlder } from "../../installation/older-version.ts";
import { formatRemoval } from "../../installation/remove-command.ts";
import { readLatestVersion } from "../../installation/update-check.ts";
import { describeUpdate } from "../../installation/update-command.ts";
import type { Check } from "./check.ts";

const { command } = BRAND;

/** Programs of one name: a shell starts the first, and an upgrade may have replaced another. */
export const checkPath: Check = async ({ context: { env }, platform, program, workDirectory }) => {
  const check = "path";
  const programs = await findInPath({ env, platform, workDirectory });
  const [first, ...others] = programs;
  if (first === undefined) {
    return [{ check, status: "ok", message: `no folder of the PATH has ${command}` }];
  }
  const { path } = await findInstallation(program);
  if (others.length === 0) {
    const other = first.installation.path === path ? "" : `; this one is ${path}, which is not in it`;
    return [{ check, status: "ok", message: `${command} in the PATH is ${first.found}${other}` }];
  }
  const name = (each: FoundProgram) =>
    `${each.found} (${each.installation.channel}${each.installation.path === path ? ", this one" : ""})`;
  const verb = others.length === 1 ? "does" : "do";
  const message = `${command} is ${name(first)}, and the PATH also has ${others.map(name).join(", ")}, which ${verb} not run`;
  const removals = others.map(({ installation, found }) => formatRemoval(installation, found, platform));
  const instead = formatRemoval(first.installation, first.found, platform);
  const fix = `Remove what does not run: ${removals.join("; ")}. Or remove the first: ${instead}`;
  return [{ check, status: "warn", message, fix }];
};

/** Sends no request: it uses the last answer of the update check. */
export const checkUpdate: Check = async ({ context: { env }, platform, program, version }) => {
  const check = "update";
  const latest = await readLatestVersion(env);
  if (latest === undefined) return [];
  if (!isOlder(version, latest)) return [{ check, status: "ok", message: `no newer version than ${version} is known` }];
  const message = `${latest} is available; this is ${version}`;
  const fix = describeUpdate(await findInstallation(program), { version: latest, platform });
  return [{ check, status: "warn", message, fix }];
};

export const checkCompletion: Check = async ({ context: { env }, home, platform }) => {
  const check = "completion";
  // PowerShell's profile is wherever PowerShell says, and starting it takes seconds.
  const state = platform === "win32" ? undefined : await findCompletion(env, home);
  if (state === undefined) return [];
  const { shell, file, setUp } = state;
  if (file !== undefined) return [{ check, status: "ok", message: `${shell} completes ${command}, by ${file}` }];
  const message = `${shell} does not complete ${command} yet`;
  return [{ check, status: "warn", message, fix: `Set it up, for terminals that you open then: ${setUp}` }];
};
