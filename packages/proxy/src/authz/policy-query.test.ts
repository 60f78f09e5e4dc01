/** Which permission a message needs, by its method. */
import { expect, test } from "vitest";
import { readClientBody } from "../messages/client-message.ts";
import { readPolicyQueries } from "./policy-query.ts";

function read(method: string, params: Readonly<Record<string, unknown>> = {}) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const read = readClientBody(body, { maxBatch: 10, maxMessageValues: 1_000 });
  if (read.kind !== "single") throw new Error(`not a message: ${read.kind}`);
  return readPolicyQueries(read.message);
}

const query = (action: string, name: string) => ({ kind: "ask", queries: [{ action, name, args: {} }] });

test.each([
  ["resources/subscribe", { uri: "file:///a" }, query("read_resource", "file:///a")],
  ["completion/complete", { ref: { type: "ref/prompt", name: "greet" } }, query("get_prompt", "greet")],
  ["completion/complete", { ref: { type: "ref/resource", uri: "file:///{x}" } }, query("read_resource", "file:///{x}")],
])("%s of %j needs the permission for what it is about", (method, params, expected) => {
  expect(read(method, params)).toEqual(expected);
});

test.each(["tools/list", "prompts/list", "resources/list", "ping", "logging/setLevel", "resources/unsubscribe"])(
  "%s needs no permission",
  (method) => {
    expect(read(method)).toEqual({ kind: "free" });
  },
);

test.each(["tasks/list", "tasks/get", "tools/delete", "TOOLS/CALL", "sampling/createMessage"])(
  "%s is refused, because no policy can refer to it",
  (method) => {
    expect(read(method)).toMatchObject({ kind: "refuse", reason: expect.stringContaining(method) });
  },
);
