import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedWorld } from "./testing/served-world.ts";

const BASE = "/api/v1beta";

let served: ServedWorld;
beforeEach(async () => {
  served = await ServedWorld.start();
});
afterEach(async () => {
  expect(served.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

async function call(method: string, path: string, value?: unknown): Promise<[status: number, body: string]> {
  const options = value === undefined ? {} : { body: JSON.stringify(value) };
  const { status, body } = await served.send(method, `${BASE}${path}`, options);
  return [status, body];
}

describe("clients", () => {
  test("are none on a fresh home", async () => {
    expect(await call("GET", "/clients")).toEqual([200, "[]\n"]);
    expect(await call("GET", "/clients/")).toEqual([200, "[]\n"]);
  });

  test("are registered once, and unregistered as often as one likes", async () => {
    const answers = [
      await call("POST", "/clients", { name: "vscode" }),
      await call("POST", "/clients", { name: "vscode" }),
      await call("GET", "/clients"),
      await call("DELETE", "/clients/vscode"),
      await call("DELETE", "/clients/vscode"),
      await call("DELETE", "/clients/register"),
      await call("GET", "/clients"),
    ];

    expect(answers).toEqual([
      [200, '{"name":"vscode","groups":["default"]}\n'],
      [200, '{"name":"vscode","groups":["default"]}\n'],
      [200, '[{"name":"vscode","groups":["default"]}]\n'],
      [204, ""],
      [204, ""],
      [204, ""],
      [200, "[]\n"],
    ]);
  });

  test("are registered and unregistered several at a time, in the order of the request", async () => {
    expect(await call("POST", "/clients/register", { names: ["cursor", "vscode"] })).toEqual([
      200,
      '[{"name":"cursor","groups":["default"]},{"name":"vscode","groups":["default"]}]\n',
    ]);
    expect(await call("POST", "/clients/unregister", { names: ["cursor", "nobody"] })).toEqual([204, ""]);
    expect(await call("GET", "/clients")).toEqual([200, '[{"name":"vscode","groups":["default"]}]\n']);
  });

  test.each([
    ["/clients", {}, 'Invalid request body\nthe body is missing "name"'],
    ["/clients", { name: 5 }, "Invalid request body\nname is a number but must be a string"],
    ["/clients", [], "Invalid request body"],
    ["/clients/register", {}, "At least one client name is required"],
    ["/clients/register", { names: [] }, "At least one client name is required"],
    ["/clients/unregister", { names: null }, "At least one client name is required"],
    ["/clients/register", { names: "vscode" }, "Invalid request body\nnames is a string but must be a list"],
  ])("POST %s with %j is 400", async (path, body, text) => {
    expect(await call("POST", path, body)).toEqual([400, `${text}\n`]);
  });

  test("that do not exist are refused, with nothing stored", async () => {
    const [status, body] = await call("POST", "/clients/register", { names: ["vscode", "emacs"] });

    expect([status, body]).toEqual([
      400,
      'Failed to register clients: unsupported client type: There is no client "emacs".\n',
    ]);
    expect(await call("GET", "/clients")).toEqual([200, "[]\n"]);
  });

  test("under the names of the specification are the same clients", async () => {
    expect(await call("POST", "/clients", { name: "VSCodeInsider" })).toEqual([
      200,
      '{"name":"vscode-insider","groups":["default"]}\n',
    ]);
  });

  test("with settings that cannot be used are 500 in the reference's words", async () => {
    await writeFile(join(served.home, "config.yaml"), "clients: [");

    expect(await call("GET", "/clients")).toEqual([500, "Failed to list clients\n"]);
    expect(await call("POST", "/clients", { name: "vscode" })).toEqual([500, "Failed to register client\n"]);
    expect(await call("GET", "/discovery/clients")).toEqual([500, "Failed to get client status\n"]);
  });
});

test("discovery lists the reference's six first, with what is installed and registered", async () => {
  await mkdir(join(served.home, ".cursor"));
  await call("POST", "/clients", { name: "vscode" });

  const [status, body] = await call("GET", "/discovery/clients");

  expect(status).toBe(200);
  const { clients } = JSON.parse(body);
  expect(clients.slice(0, 6)).toEqual([
    { client_type: "roo-code", title: "Roo Code", installed: false, registered: false },
    { client_type: "cline", title: "Cline", installed: false, registered: false },
    { client_type: "vscode-insider", title: "Visual Studio Code Insiders", installed: false, registered: false },
    { client_type: "vscode", title: "Visual Studio Code", installed: false, registered: true },
    { client_type: "cursor", title: "Cursor", installed: true, registered: false },
    { client_type: "claude-code", title: "Claude Code", installed: false, registered: false },
  ]);
});

test("a registered client's settings follow the workloads", async () => {
  const path = join(served.home, ".cursor/mcp.json");
  await mkdir(join(served.home, ".cursor"));
  await writeFile(path, "{}");
  await call("POST", "/clients", { name: "cursor" });

  await call("POST", "/workloads", { name: "mine", image: "mcp/echo:1" });

  await expect.poll(async () => await readFile(path, "utf8"), { timeout: 20_000 }).toContain("/mcp");
  await call("DELETE", "/workloads/mine");
  await expect.poll(async () => await readFile(path, "utf8"), { timeout: 20_000 }).toBe("{}");
});
