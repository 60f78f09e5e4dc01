/** What the operations on groups do. */
import type { ClientManager, Group, GroupManager, WorkloadSupervisor } from "@toolhive/core";
import type { Handlers, OperationAnswer } from "../contract/contract.ts";
import type { GROUPS_OPERATIONS } from "../contract/groups.ts";

interface GroupsHandlerOptions {
  readonly groups: GroupManager;
  readonly clients: ClientManager;
  readonly workloads: WorkloadSupervisor;
}

export function groupsHandlers({
  groups,
  clients,
  workloads,
}: GroupsHandlerOptions): Pick<Handlers, keyof typeof GROUPS_OPERATIONS> {
  const describe = (group: Group, registered: Readonly<Record<string, readonly string[]>>) =>
    describeGroup(
      group,
      Object.keys(registered).filter((client) => registered[client]?.includes(group.name)),
    );
  return {
    listGroups: async () => {
      const registered = await clients.listGroups();
      return { groups: groups.list().map((group) => describe(group, registered)) };
    },
    createGroup: async ({ body: { name, port, ...settings } }) =>
      describeGroup(await groups.create(name, { ...settings, port: port || undefined }), []),
    getGroup: async ({ params }) => describe(groups.get(params.name), await clients.listGroups()),
    deleteGroup: async ({ params: { name }, query }) => {
      const members = groups.listMembers(name).filter((workload) => groups.listGroupsWith(workload).length === 1);
      await groups.remove(name);
      await clients.forgetGroup(name);
      if (query["with-workloads"] !== "true") return;
      await Promise.all(members.map(async (workload) => await workloads.delete(workload)));
    },
    chooseGroupTools: async ({ params: { name }, body }) => {
      const registered = await clients.listGroups();
      return describe(await groups.chooseTools(name, body), registered);
    },
    addGroupWorkload: async ({ params: { name, workload } }) => await groups.addMember(name, workload),
    removeGroupWorkload: async ({ params: { name, workload } }) => await groups.removeMember(name, workload),
    unregisterClientFromGroup: async ({ params: { name, group } }) => await clients.leaveGroup([name], group),
  };
}

function describeGroup(
  { name, url, port, naming, tools, tools_override, find_tools, problem, members, warnings }: Group,
  registered: readonly string[],
): OperationAnswer<"getGroup"> {
  return {
    name,
    registered_clients: [...registered],
    ...(url !== undefined && { url }),
    ...(port !== undefined && { port }),
    ...(naming !== undefined && { naming }),
    ...(tools && { tools: [...tools] }),
    ...(tools_override && { tools_override }),
    ...(find_tools && { find_tools }),
    ...(problem !== undefined && { problem }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    workloads: members.map((member) => ({
      name: member.name,
      state: member.state,
      ...(member.reason !== undefined && { reason: member.reason }),
      ...(member.tools !== undefined && { tools: member.tools }),
      ...(member.hiddenTools !== undefined && { hidden_tools: member.hiddenTools }),
    })),
  };
}
