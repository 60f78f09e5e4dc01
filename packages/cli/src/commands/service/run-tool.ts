/** Runs a program of the system, without a shell, and returns the result. */
import { execFile } from "node:child_process";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import type { ToolCall } from "./service-manager.ts";

/** Milliseconds; stopping a service waits for its servers. */
const TIMEOUT_MS = 180_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface ToolResult {
  readonly isOk: boolean;
  readonly output: string;
}

/** @throws {ThvError} `SERVICE_FAILED` when the program is not there, `INTERRUPTED`. */
export async function runTool([program, ...args]: ToolCall, { env, signal }: CommandContext): Promise<ToolResult> {
  const options = { env: { ...env }, signal, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
  return await new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (signal.aborted) reject(signal.reason);
      else if (readSystemCode(error) === "ENOENT") reject(missingTool(program, error));
      else resolve({ isOk: error === null, output: `${stdout}${stderr}`.trim() });
    });
  });
}

function missingTool(program: string, cause: unknown): ThvError {
  return new ThvError("SERVICE_FAILED", `This system has no ${program}, which would start the service.`, {
    hint: "Start thv serve with your system's own service manager, or in a terminal.",
    cause,
  });
}
