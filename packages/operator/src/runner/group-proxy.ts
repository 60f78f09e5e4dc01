/** The one endpoint of a group, in a pod of its own: its servers are those of a file, which is followed. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { AccessConfig, Logger } from "@toolhive/core";
import { closeGracefully } from "@toolhive/http";
import { openGroupEndpoint } from "@toolhive/proxy";
import {
  GROUP_FILE,
  GROUP_REPORT_PATH,
  type GroupReport,
  type RunnerConfig,
  readFixedMembers,
} from "../contract/index.ts";
import { type FollowedGroupFile, followGroupFile, readGroupFile } from "./group-file.ts";
import { readConfig } from "./read-runner-config.ts";
import { Readiness } from "./readiness.ts";
import type { RunnerOptions } from "./run-runner.ts";

interface GroupProxyOptions extends Pick<RunnerOptions, "file" | "log" | "version"> {
  readonly config: RunnerConfig;
  readonly access: AccessConfig | undefined;
  readonly health: { readonly host: string; readonly port: number };
  /** Asks the endpoint for its tools as a client does. */
  readonly askAsClient: (url: URL, signal: AbortSignal) => Promise<unknown>;
  /** Resolves when calls have ended that are in flight, or have had their time. */
  readonly drain: (countPending: () => number, log: Logger) => Promise<void>;
  readonly untilOver: Promise<void>;
}

/** Characters of a reason in a report. */
const MAX_REASON = 300;

/** Runs until it is over, then lets calls end. @throws {ThvError} `CONFIG_INVALID`, `INVALID_ARGUMENT`, `PORT_IN_USE`. */
export async function runGroupProxy(options: GroupProxyOptions): Promise<void> {
  const { config, file, access, log, version, health, askAsClient, drain, untilOver } = options;
  const { name, host, port } = config;
  const path = join(dirname(file), GROUP_FILE.slice(GROUP_FILE.lastIndexOf("/") + 1));
  const first = await readGroupFile(path);
  await using endpoint = await openGroupEndpoint({
    name,
    host,
    port,
    allowedHosts: config.allowed_hosts,
    naming: first.naming,
    ...(access && { access }),
    ...(version && { version }),
    // Before there is a server whose tools could be seen.
    choice: first.choice,
    log,
  });
  endpoint.update(first.members);
  let applied = first;
  const onChange = (next: FollowedGroupFile): void => {
    // Rules for callers name tools as clients see them: names that come with other rules are those of the next proxy.
    if (next.naming !== applied.naming && !next.isOfThisProxy) return;
    if (next.naming !== applied.naming) endpoint.chooseNaming(next.naming);
    // A tool that is hidden from now on must not be seen under a server that joins with it.
    endpoint.chooseTools(next.choice);
    endpoint.update(next.members);
    applied = next;
    log.info({ servers: next.members.length }, "the servers of the group, its tools or their names have changed");
  };
  const settings = readFixedMembers(config);
  const checkSettings = async () => isDeepStrictEqual(readFixedMembers(await readConfig(file)), settings);
  const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.url !== GROUP_REPORT_PATH) return false;
    request.resume();
    const members = endpoint.members.map((member) => ({ ...member, reason: member.reason?.slice(0, MAX_REASON) }));
    const text = JSON.stringify({ version: applied.version, members } satisfies GroupReport);
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
    return true;
  };
  const url = new URL(`http://127.0.0.1:${endpoint.port}/mcp`);
  const check = (signal: AbortSignal) => askAsClient(url, signal);
  const readiness = new Readiness({ askAsClient: check, ping: check });
  const server = await readiness.serve(health.host, health.port, answer);
  const over = new AbortController();
  const working = [
    readiness.watch(over.signal),
    followGroupFile({ path, first, checkSettings, onChange, log }, over.signal),
  ];
  log.info({ name, servers: first.members.length, port: endpoint.port }, "group's endpoint listens");
  try {
    await untilOver;
    readiness.end();
    await drain(() => endpoint.counts.pendingRequests, log);
  } finally {
    over.abort();
    await Promise.all(working);
    await closeGracefully(server, 0);
  }
}
