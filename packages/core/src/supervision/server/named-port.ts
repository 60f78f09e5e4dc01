/** Opens the endpoint of a workload; when its port is in use, the error names the owner and a way out. */

import type { McpEndpoint, McpEndpointOptions, OpenMcpEndpoint } from "../../ports/mcp-endpoint.ts";
import { hasCode, ThvError } from "../../support/errors.ts";
import type { Workload } from "../../workload/workload.ts";

interface NamedPortOptions {
  readonly openEndpoint: OpenMcpEndpoint;
  readonly list: () => readonly Workload[];
  /** @returns For example `nginx (pid 4711)`; `undefined` when the system does not reveal it. */
  readonly describePortOwner: (port: number) => Promise<string | undefined>;
}

/** Statuses of workloads that do not listen. */
const SILENT = ["stopped", "error", "removing"];

/** @throws {ThvError} `PORT_IN_USE`, and what the endpoint throws. */
export function namePortOwner({ openEndpoint, list, describePortOwner }: NamedPortOptions): OpenMcpEndpoint {
  return async (options: McpEndpointOptions): Promise<McpEndpoint> => {
    try {
      return await openEndpoint(options);
    } catch (error) {
      if (!hasCode(error, "PORT_IN_USE")) throw error;
      const { name, host, port } = options;
      const workloads = list();
      const other = workloads.find((one) => one.port === port && one.name !== name && !SILENT.includes(one.status));
      const owner = other ? `the server "${other.name}"` : await describePortOwner(port);
      const isThere = workloads.some((one) => one.name === name);
      throw new ThvError("PORT_IN_USE", `Port ${port} on ${host} is in use${owner ? ` by ${owner}` : ""}.`, {
        hint: isThere
          ? `Choose another one: thv restart ${name} --proxy-port ${port === 65_535 ? 10_000 : port + 1}`
          : "Choose another one with --proxy-port, or leave it out.",
        cause: error,
      });
    }
  };
}
