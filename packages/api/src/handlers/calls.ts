/** What the operations on calls do. */
import {
  assertWorkloadName,
  createNotRunning,
  describeToolStates,
  type GroupManager,
  pickToolSelection,
  ThvError,
  type ToolState,
  type WorkloadSupervisor,
} from "@toolhive/core";
import type { CALLS_OPERATIONS } from "../contract/calls.ts";
import type { Handlers } from "../contract/contract.ts";
import { Calls } from "../live/calls.ts";
import type { OpenMcp } from "../live/mcp-access.ts";

function showState({ name, own, server, state, description }: ToolState) {
  return {
    name,
    own_name: own,
    ...(server !== undefined && { server }),
    state,
    ...(state === "hidden" && description !== undefined && { description }),
  };
}

export function callsHandlers(
  workloads: WorkloadSupervisor,
  groups: GroupManager,
  openMcp: OpenMcp,
): Pick<Handlers, keyof typeof CALLS_OPERATIONS> {
  const calls = new Calls(openMcp);
  /** @throws {ThvError} `SERVER_NOT_READY` for one that does not run. */
  const findAddress = (name: string): URL => {
    assertWorkloadName(name);
    const { status, url } = workloads.describe(name);
    if (status === "running" || status === "unhealthy") return new URL(url);
    throw createNotRunning(name, status);
  };
  /** @throws {ThvError} `SERVER_NOT_READY` for one whose address does not answer, `INVALID_ARGUMENT` for one without. */
  const findGroupAddress = (name: string): URL => {
    const { url, problem } = groups.get(name);
    if (url === undefined) {
      throw new ThvError("INVALID_ARGUMENT", `The group "${name}" has no address, and offers no tools.`, {
        hint: "List the tools of one server: thv tools list SERVER",
      });
    }
    if (problem === undefined) return new URL(url);
    throw new ThvError("SERVER_NOT_READY", `The address of "${name}" does not answer: ${problem}`);
  };
  return {
    listGroupTools: async ({ params }, { signal }) => {
      const [tools = []] = await calls.list(findGroupAddress(params.name), ["tools"], signal);
      return { tools: [...tools], states: groups.listTools(params.name).map(showState) };
    },
    listWorkloadTools: async ({ params }, { signal }) => {
      const [tools = []] = await calls.list(findAddress(params.name), ["tools"], signal);
      const offered = tools.map(({ name }) => String(name));
      const selection = pickToolSelection(workloads.getUsable(params.name).config);
      const states = describeToolStates(offered, workloads.get(params.name).listedTools ?? [], selection);
      return { tools: [...tools], states: states.map(showState) };
    },
    listWorkloadPrompts: async ({ params }, { signal }) => {
      const [prompts = []] = await calls.list(findAddress(params.name), ["prompts"], signal);
      return { prompts: [...prompts] };
    },
    listWorkloadResources: async ({ params }, { signal }) => {
      const kinds = ["resources", "resourceTemplates"] as const;
      const [resources = [], templates = []] = await calls.list(findAddress(params.name), kinds, signal);
      return { resources: [...resources], resource_templates: [...templates] };
    },
    listRecentCalls: async ({ params }) => {
      assertWorkloadName(params.name);
      const calls = workloads.get(params.name).recentCalls;
      return {
        is_kept: calls !== undefined,
        calls: (calls ?? []).map((each) => ({ ...each, at: each.at.toISOString() })),
      };
    },
    decideCall: async ({ params, body }) => {
      assertWorkloadName(params.name);
      const { claims, action, name, arguments: args = {} } = body;
      const verdict = workloads.get(params.name).judge({ claims, action, name, args });
      if (verdict === undefined) return { is_allowed: true, has_policies: false, policies: [] };
      const { isAllowed, policies, problem } = verdict;
      return {
        is_allowed: isAllowed,
        has_policies: true,
        policies: [...policies],
        ...(problem !== undefined && { problem }),
      };
    },
    callWorkload: async ({ params, body }, { signal }) => {
      const url = findAddress(params.name);
      calls.assertRoom();
      return calls.run(url, body, signal);
    },
    answerCall: async ({ params, body }) => calls.answer(params.call_id, body),
  };
}
