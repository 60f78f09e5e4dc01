/** Clients without sessions may share one at a server of their group. What each of them gets is its own all the same. */
import type { GroupEndpoint } from "@toolhive/core";
import { expect, test } from "vitest";
import type { SeenMessage } from "../testing/fake-server.ts";
import { openGroup, openStdioMember, untilMember } from "../testing/open-group.ts";
import { post } from "../testing/raw-client.ts";

/** Rules of a server are kept by its own endpoint, which is reached over HTTP then. */
const AUDITED = {
  access: {
    authz_config: {
      version: "1.0",
      type: "cedarv1" as const,
      cedar: { policies: ["permit(principal, action, resource);"], entities_json: "[]" },
    },
  },
};
const REVISION = "2026-07-28";

/** Calls a tool with an id and a token for its progress that every client here has. */
async function call(group: GroupEndpoint, marker: string): Promise<string> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    progressToken: "mine",
  };
  const params = { name: "echo", arguments: { marker }, _meta };
  const headers = { "mcp-protocol-version": REVISION, "mcp-method": "tools/call", "mcp-name": "echo" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return await (await post(group, body, headers)).text();
}

const readProgressToken = ({ params }: SeenMessage) => (params._meta as { progressToken: unknown }).progressToken;

test.each([
  ["in this process", {}],
  ["over HTTP", AUDITED],
] as const)(
  "clients without sessions get their own answers and progress of a server %s, and no others",
  async (_place, options) => {
    const onRequest = ({ method }: SeenMessage) =>
      method === "tools/list" ? '{"tools":[{"name":"echo"}]}' : undefined;
    await using member = await openStdioMember("alpha", { onRequest, capabilities: '{"tools":{}}' }, options);
    await using group = await openGroup([member]);
    await untilMember(group, "alpha");
    const { server } = member.pair;

    const one = call(group, "ONE");
    const first = await server.receive("tools/call");
    const two = call(group, "TWO");
    const second = await server.receive("tools/call", 2);
    for (const [seen, message] of [
      [second, "TWO"],
      [first, "ONE"],
    ] as const) {
      server.notify("notifications/progress", { progressToken: readProgressToken(seen), progress: 1, message });
      server.answer(seen, JSON.stringify({ content: [{ type: "text", text: message }] }));
    }

    for (const [text, own, other] of [
      [await one, "ONE", "TWO"],
      [await two, "TWO", "ONE"],
    ] as const) {
      expect(text.match(new RegExp(own, "g"))).toHaveLength(2);
      expect(text).toContain('"progressToken":"mine"');
      expect(text).not.toContain(other);
    }
  },
);
