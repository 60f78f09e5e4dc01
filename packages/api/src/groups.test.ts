/** The operations on groups, as existing clients call them. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { API_BASE } from "./contract/routes.ts";
import { ServedWorld } from "./testing/served-world.ts";

let served: ServedWorld;
beforeAll(async () => {
  served = await ServedWorld.start();
  await mkdir(join(served.home, ".cursor"));
  await writeFile(join(served.home, ".cursor", "mcp.json"), "{}");
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

async function call(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? { headers: {} } : { headers, body: JSON.stringify(body) };
  const answer = await served.send(method, `${API_BASE}${path}`, sent);
  const isJson = answer.headers["content-type"]?.includes("json");
  return { status: answer.status, body: isJson ? JSON.parse(answer.body) : {} };
}

test("a fresh machine has the group default, without an address", async () => {
  expect(await call("GET", "/groups")).toMatchObject({
    status: 200,
    body: { groups: [{ name: "default", registered_clients: [], workloads: [] }] },
  });
});

test("the tools of a group are those that its address offers", async () => {
  const asked: string[] = [];
  served.mcp.open = async (url) => {
    asked.push(url.href);
    return {
      list: async () => [{ name: "add" }],
      call: async () => ({}),
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  const { url } = (await call("POST", "/groups", { name: "asked" })).body;

  expect(await call("GET", "/groups/asked/tools")).toEqual({
    status: 200,
    body: { tools: [{ name: "add" }], states: [] },
  });
  expect(asked).toEqual([url]);
  expect((await call("GET", "/groups/default/tools")).status).toBe(400);
  expect((await call("GET", "/groups/absent/tools")).status).toBe(404);
  expect((await call("DELETE", "/groups/asked")).status).toBe(204);
});

test("a group is created, filled, asked for its servers, and removed", async () => {
  const created = await call("POST", "/groups", { name: "work", naming: "always" });
  expect(created).toMatchObject({ status: 201, body: { name: "work", naming: "always", workloads: [] } });
  expect(created.body.url).toBe(`http://127.0.0.1:${created.body.port}/mcp`);
  expect((await call("POST", "/groups", { name: "work" })).status).toBe(409);

  await call("POST", "/workloads", { name: "alpha", image: "mcp/echo:1", group: "work" });
  await call("POST", "/workloads", { name: "beta", image: "mcp/echo:1" });
  const names = async (query: string) =>
    ((await call("GET", `/workloads?all=true${query}`)).body.workloads as { name: string }[]).map(({ name }) => name);
  expect(await names("")).toEqual(["alpha", "beta"]);
  expect(await names("&group=work")).toEqual(["alpha"]);
  expect(await names("&group=default")).toEqual(["beta"]);
  expect((await call("GET", "/workloads?group=nowhere")).status).toBe(404);

  expect((await call("PUT", "/groups/work/workloads/beta")).status).toBe(204);
  expect(await names("&group=work")).toEqual(["alpha", "beta"]);
  expect((await call("PUT", "/groups/work/workloads/gamma")).status).toBe(404);
  expect((await call("DELETE", "/groups/work/workloads/beta")).status).toBe(204);

  expect((await call("DELETE", "/groups/work?with-workloads=true")).status).toBe(204);
  expect((await call("GET", "/groups/work")).status).toBe(404);
  await expect.poll(async () => await names("")).toEqual(["beta"]);
  expect((await call("DELETE", "/groups/default")).status).toBe(400);
});

test("a group keeps its choice of tools, which is replaced as a whole", async () => {
  const tools_override = { "get-sum": { name: "add" } };
  const created = await call("POST", "/groups", { name: "chosen", tools: ["add"], tools_override });
  expect(created).toMatchObject({ status: 201, body: { tools: ["add"], tools_override } });
  const { port } = created.body;

  const changed = await call("PUT", "/groups/chosen/tools", { tools: ["get-sum", "echo"] });
  expect(changed).toMatchObject({ status: 200, body: { name: "chosen", port, tools: ["get-sum", "echo"] } });
  expect(changed.body).not.toHaveProperty("tools_override");
  expect(await call("GET", "/groups/chosen")).toMatchObject({ body: { tools: ["get-sum", "echo"] } });

  for (const body of [{ tools: ["a\nb"] }, { tools_override: { a: {} } }, { tools: [5] }, { tools: "add" }])
    expect([body, (await call("PUT", "/groups/chosen/tools", body)).status]).toEqual([body, 400]);
  expect((await call("POST", "/groups", { name: "other", tools: ["a\nb"] })).status).toBe(400);
  expect((await call("PUT", "/groups/nowhere/tools", { tools: ["add"] })).status).toBe(404);
  expect((await call("PUT", "/groups/default/tools", { tools: ["add"] })).status).toBe(400);
  // Empty lists are what desktop applications send for what nobody asked for.
  const emptied = await call("PUT", "/groups/chosen/tools", { tools: [], tools_override: {} });
  expect(emptied.body).not.toHaveProperty("tools");
  expect((await call("DELETE", "/groups/chosen")).status).toBe(204);
});

test("a workload is not created in a group that is not there", async () => {
  const answer = await call("POST", "/workloads", { name: "lost", image: "mcp/echo:1", group: "nowhere" });

  expect(answer).toMatchObject({ status: 404 });
  expect(served.supervisor.list().some(({ name }) => name === "lost")).toBe(false);
});

test("a client of a group gets its one address, until it leaves", async () => {
  const { url } = (await call("POST", "/groups", { name: "home" })).body;
  const file = async () => JSON.parse(await readFile(join(served.home, ".cursor", "mcp.json"), "utf8"));

  expect((await call("POST", "/clients", { name: "cursor", groups: ["home"] })).status).toBe(200);
  expect((await file()).mcpServers).toEqual({ "thv-home": { type: "http", url } });
  expect(await call("GET", "/groups/home")).toMatchObject({ body: { registered_clients: ["cursor"] } });
  expect((await call("POST", "/clients", { name: "cursor", groups: ["nowhere"] })).status).toBe(404);

  expect((await call("DELETE", "/clients/cursor/groups/home")).status).toBe(204);
  expect(await file()).toEqual({});
  expect((await call("GET", "/clients")).body).toEqual([]);
});
