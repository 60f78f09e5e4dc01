/** A project file goes to an image registry and comes back; the registry is one of the tests. */
import { TestPushRegistry } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiClient } from "./client.ts";
import { ServedWorld } from "./testing/served-world.ts";

const FILE = 'servers:\n  first: { run: "mcp/echo:1", access: { authz_config: policies/p.json } }\n';
const FILES = [{ name: "policies/p.json", text: '{ "version": "1.0" }' }];

let served: ServedWorld;
let client: ApiClient;
let registry: TestPushRegistry;
beforeEach(async () => {
  served = await ServedWorld.start();
  registry = await TestPushRegistry.start();
  client = new ApiClient({ host: "127.0.0.1", port: served.port });
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  expect(served.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

const name = () => `oci://${registry.host}/acme/tools:1`;
const push = async (more: object = {}) =>
  await client.call("pushProject", { body: { reference: name(), file: FILE, files: FILES, ...more } });
const pull = async (reference = name()) => await client.call("pullProject", { body: { reference } });

describe("a project file", () => {
  test("comes back as it was stored, and nothing runs", async () => {
    const lock = '{"lock_version":1,"servers":{}}';
    const { digest, sent } = await push({ lock });

    expect(sent).toBe(4);
    expect(await pull()).toEqual({
      reference: name(),
      digest,
      name: "thv.yaml",
      file: FILE,
      lock,
      files: FILES,
      left_out: [],
    });
    expect(await push({ lock })).toEqual({ reference: name(), digest, sent: 0 });
    expect((await client.call("listWorkloads", { query: { all: "true" } })).workloads).toEqual([]);
  });

  test("is replaced by who says what it is now, and by nobody else", async () => {
    const { digest } = await push();
    const changed = { file: `${FILE}# changed\n` };

    await expect(push(changed)).rejects.toMatchObject({ code: "NOT_CONFIRMED" });
    await expect(push({ ...changed, replaces: `sha256:${"0".repeat(64)}` })).rejects.toMatchObject({
      code: "NOT_CONFIRMED",
    });
    expect(await push({ ...changed, replaces: digest })).toMatchObject({ replaced: digest });
  });

  test.each([
    ["that is none", { file: "no: servers" }, "INVALID_ARGUMENT"],
    [
      "with a value that looks secret",
      {
        file: 'servers: { first: { run: "mcp/echo:1", env: { API_TOKEN: ghp_16C7e42F292c6912E7710c838347Ae178B4a } } }',
        files: [],
      },
      "NOT_CONFIRMED",
    ],
    ["with a file that it does not name", { files: [...FILES, { name: "Makefile", text: "" }] }, "INVALID_ARGUMENT"],
    ["with a file outside its folder", { files: [{ name: "../p.json", text: "" }] }, "INVALID_ARGUMENT"],
    ["with a lock that is none", { lock: "{}" }, "INVALID_ARGUMENT"],
    ["for a digest", { reference: `oci://127.0.0.1/a@sha256:${"0".repeat(64)}` }, "INVALID_ARGUMENT"],
    ["for no registry", { reference: "ghcr.io/acme" }, "INVALID_ARGUMENT"],
  ])("%s is not sent", async (_name, more, code) => {
    await expect(push(more)).rejects.toMatchObject({ code });
    expect(registry.requests).toEqual([]);
  });

  test("that cannot be read says why", async () => {
    await expect(pull()).rejects.toMatchObject({ code: "IMAGE_NOT_FOUND" });
    registry.basic = "ann:secret";
    await expect(pull()).rejects.toMatchObject({ code: "IMAGE_REGISTRY_REFUSED" });
    await expect(push()).rejects.toMatchObject({ code: "IMAGE_REGISTRY_REFUSED" });
    registry.fault = () => "cut";
    await expect(pull()).rejects.toMatchObject({ code: "IMAGE_REGISTRY_UNREACHABLE" });
  });
});
