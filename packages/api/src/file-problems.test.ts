import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ServedWorld } from "./testing/served-world.ts";

const BASE = "/api/v1beta";

/** The problem document of a request that fails. */
async function fail(served: ServedWorld, method: string, path: string, body?: unknown): Promise<unknown> {
  const { body: text } = await served.send(method, `${BASE}${path}`, {
    headers: { accept: "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return JSON.parse(text);
}

test("a problem of a file has its place in the problem document", async () => {
  await using served = await ServedWorld.start();
  const project = { reference: "oci://127.0.0.1:1/team/set:1", file: "servers:\n  echo: { run: echo }\n" };
  const lock = '{\n  "lock_version": 1,\n  "servers": { "echo": {\n    "run": 5 } }\n}\n';
  const policies = JSON.stringify({ version: "1.0", type: "cedarv2", cedar: { policies: ["permit"] } });
  const workload = { name: "guarded", image: "mcp/echo:1", authz_config: policies };

  expect(await fail(served, "POST", "/workloads", workload)).toMatchObject({
    code: "INVALID_ARGUMENT",
    problems: [expect.stringMatching(/^type is "cedarv2"/)],
    pointers: ["/authz_config/type"],
  });
  expect(await fail(served, "POST", "/project/push", { ...project, lock })).toMatchObject({
    code: "INVALID_ARGUMENT",
    problems: ["line 4: servers.echo.run is a number but must be a string"],
    pointers: ["/lock/servers/echo/run"],
  });
  await writeFile(join(served.home, "config.yaml"), "clients: {}\nregistry_url: 5\n");
  expect(await fail(served, "GET", "/clients")).toMatchObject({
    code: "CONFIG_INVALID",
    problems: ["line 2: registry_url is a number but must be a string"],
    pointers: ["/registry_url"],
  });
});
