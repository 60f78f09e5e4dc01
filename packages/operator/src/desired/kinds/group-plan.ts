/** The servers of an MCPGroup, as the file says that its endpoint follows. */
import type { GroupTools } from "@toolhive/core";
import { type GroupFile, KIND, nameObjects, type PlannedMember, type Proxied } from "../../contract/index.ts";
import type { DesiredContext } from "../context/context.ts";
import { digest } from "../context/digest.ts";
import { chooseTools } from "../context/tool-choice.ts";
import { checkName } from "./check-object.ts";
import { readSpec } from "./read-spec.ts";

/** Servers of one group. */
const MAX_MEMBERS = 200;

/** A server that names the group. */
interface Candidate {
  readonly server: Proxied;
  /** Differs after each change of its pods. */
  readonly run: string;
}

/** @returns All of them, sorted by name, an MCPServer before an MCPRemoteProxy of the same name. */
export function planMembers(candidates: Iterable<Candidate>): PlannedMember[] {
  const sorted = [...candidates].sort((left, right) => (formatOrder(left.server) < formatOrder(right.server) ? -1 : 1));
  const taken = new Set<string>();
  return sorted.map(({ server, run }) => {
    const { kind, metadata } = server;
    const { name, namespace } = metadata;
    const { transport, port, stop: stopped } = readSpec(server);
    const refusal = findRefusal(server, taken);
    if (refusal === undefined) taken.add(name);
    return {
      name,
      kind,
      url: `http://${nameObjects(server).proxyService}.${namespace}.svc:${port}/${transport === "sse" ? "sse" : "mcp"}`,
      run,
      ...(refusal !== undefined && { refusal }),
      ...(stopped !== undefined && { stopped }),
    };
  });
}

function findRefusal(server: Proxied, taken: ReadonlySet<string>): string | undefined {
  const { metadata, spec } = server;
  if (checkName(server) !== undefined) return "its name is too long, or cannot be part of a Service's name";
  if (taken.has(metadata.name)) return "an MCPServer of the same name belongs to the group";
  // A group has no token of a caller that it could show there, and its own callers may be others.
  if (spec.oidcConfig !== undefined) return "its callers need a token (spec.oidcConfig), and a group has none";
  return taken.size >= MAX_MEMBERS ? `the group has ${MAX_MEMBERS} servers` : undefined;
}

function formatOrder({ kind, metadata: { name } }: Proxied): string {
  return `${name} ${kind === KIND ? 0 : 1}`;
}

/** @returns `undefined` for what is no group. */
export function buildGroupFile(context: DesiredContext): GroupFile | undefined {
  const { groupNaming: naming } = readSpec(context.server);
  if (naming === undefined) return undefined;
  const members = (context.members ?? [])
    .filter(({ refusal }) => refusal === undefined)
    .map(({ name, url, run, stopped }) => ({
      name,
      url,
      run,
      isRunning: stopped === undefined,
      ...(stopped !== undefined && { reason: stopped }),
    }));
  const choice = chooseGroupTools(context);
  return { version: digest({ members, choice, naming }), members, choice, naming };
}

/** By the names that clients see now: a group of a cluster remembers nothing that would say whose a name was. */
function chooseGroupTools(context: DesiredContext): GroupTools {
  const { tools, tools_override: overrides } = chooseTools(context);
  return {
    ...(tools && { tools: tools.map((name) => ({ name })) }),
    ...(overrides && { overrides: Object.entries(overrides).map(([name, override]) => ({ name, override })) }),
  };
}
