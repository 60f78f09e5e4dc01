/** The choice of tools of a server's proxy, which a running proxy takes from its settings when the operator has changed them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { Logger, McpEndpoint, ToolSelection } from "@toolhive/core";
import { type RunnerConfig, readFixedMembers, TOOLS_REPORT_PATH, type ToolsReport } from "../contract/index.ts";
import { followFile } from "./follow-file.ts";
import { readConfig } from "./read-runner-config.ts";

interface FollowedToolsOptions {
  /** Path of the settings. */
  readonly file: string;
  /** What they were at first. */
  readonly config: RunnerConfig;
  readonly endpoint: Pick<McpEndpoint, "chooseTools">;
  readonly log: Logger;
}

export class FollowedTools {
  readonly #options: FollowedToolsOptions;
  #version: string;

  constructor(options: FollowedToolsOptions) {
    this.#options = options;
    this.#version = options.config.tools_version ?? "";
  }

  /** Until the signal fires. Never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    const { file, config, log } = this.#options;
    const onChange = (next: RunnerConfig): void => this.#apply(next);
    const what = "the tools stay";
    // Settings that are another proxy's today may be this one's again tomorrow, with the same choice.
    const readVersion = (content: RunnerConfig) => JSON.stringify(content);
    await followFile({ path: file, read: readConfig, readVersion, first: config, onChange, log, what }, signal);
  }

  /** Answers the operator. @returns Whether it does. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.url !== TOOLS_REPORT_PATH) return false;
    request.resume();
    const text = JSON.stringify({ version: this.#version } satisfies ToolsReport);
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
    return true;
  }

  #apply(next: RunnerConfig): void {
    const { config, endpoint, log } = this.#options;
    // More tools may come with rules for their callers, which only the next proxy has.
    if (!isDeepStrictEqual(readFixedMembers(next), readFixedMembers(config))) return;
    const version = next.tools_version ?? "";
    if (version === this.#version) return;
    endpoint.chooseTools(readToolSelection(next));
    this.#version = version;
    log.info({ version }, "the tools that clients see have changed");
  }
}

export function readToolSelection({ tools, tools_override: toolOverrides }: RunnerConfig): ToolSelection {
  return { ...(tools && { tools }), ...(toolOverrides && { toolOverrides }) };
}
