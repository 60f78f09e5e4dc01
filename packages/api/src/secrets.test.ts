import { storeAsOlderVersion } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedWorld } from "./testing/served-world.ts";

const BASE = "/api/v1beta/secrets";
const KEYS = `${BASE}/default/keys`;
const VALUE = "tok-7f3a-plain";

let served: ServedWorld;
beforeEach(async () => {
  served = await ServedWorld.start({ TOOLHIVE_SECRETS_PASSWORD: "pw pw pw" });
});
afterEach(async () => {
  expect(served.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

async function call(method: string, path: string, value?: unknown): Promise<[status: number, body: string]> {
  const { status, body } = await served.send(method, path, value === undefined ? {} : { body: JSON.stringify(value) });
  return [status, body];
}

async function setUp(provider_type: string): Promise<void> {
  expect((await call("POST", BASE, { provider_type }))[0]).toBe(201);
}

describe("before a provider is set up", () => {
  test.each([
    ["GET", `${BASE}/default`, undefined],
    ["GET", KEYS, undefined],
    ["GET", `${KEYS}/`, undefined],
    ["POST", KEYS, { key: "a", value: "b" }],
    ["PUT", `${KEYS}/a`, { value: "b" }],
    ["DELETE", `${KEYS}/a`, undefined],
  ])("%s %s is 404", async (method, path, body) => {
    expect(await call(method, path, body)).toEqual([404, "Secrets provider not setup\n"]);
  });

  test.each([
    ["POST", BASE, {}, "Provider type cannot be empty"],
    ["POST", BASE, { provider_type: "" }, "Provider type cannot be empty"],
    ["POST", BASE, { provider_type: null }, "Provider type cannot be empty"],
    [
      "POST",
      BASE,
      { provider_type: "vault" },
      "Invalid secrets provider type: vault (valid types: encrypted, 1password, none)",
    ],
    ["POST", BASE, { provider_type: 5 }, "Invalid request body\nprovider_type is a number but must be a string"],
    ["POST", BASE, [], "Invalid request body"],
    ["POST", KEYS, { key: "a", value: "" }, "Both 'key' and 'value' are required"],
    ["POST", KEYS, { value: "b" }, "Both 'key' and 'value' are required"],
    ["POST", KEYS, { key: 1, value: "b" }, "Invalid request body\nkey is a number but must be a string"],
    ["PUT", `${KEYS}/a`, {}, "Value is required"],
    ["PUT", `${KEYS}/a`, { value: "" }, "Value is required"],
  ])("the body of %s %s is checked first: %j", async (method, path, body, text) => {
    expect(await call(method, path, body)).toEqual([400, `${text}\n`]);
  });

  test("a body that is not JSON is 400", async () => {
    expect(await served.send("POST", BASE, { body: "{" })).toMatchObject({
      status: 400,
      body: "Invalid request body\n",
    });
  });
});

describe("the provider none", () => {
  test("is set up, and reconfigured when it was", async () => {
    expect(await call("POST", BASE, { provider_type: "none" })).toEqual([
      201,
      '{"provider_type":"none","message":"Secrets provider setup successfully"}\n',
    ]);
    expect(await call("POST", `${BASE}/`, { provider_type: "none" })).toEqual([
      201,
      '{"provider_type":"none","message":"Secrets provider reconfigured successfully"}\n',
    ]);
  });

  test.each([
    ["GET", KEYS, undefined, 200, '{"keys":[]}'],
    ["POST", KEYS, { key: "a", value: "b" }, 405, "Secrets provider does not support creating secrets"],
    ["PUT", `${KEYS}/a`, { value: "b" }, 405, "Secrets provider does not support updating secrets"],
    ["DELETE", `${KEYS}/a`, undefined, 405, "Secrets provider does not support deleting secrets"],
  ])("%s %s answers what it can do", async (method, path, body, status, text) => {
    await setUp("none");

    expect(await call(method, path, body)).toEqual([status, `${text}\n`]);
  });
});

describe("the encrypted provider", () => {
  beforeEach(async () => {
    await setUp("encrypted");
  });

  test("says what it can do", async () => {
    const capabilities = { can_read: true, can_write: true, can_delete: true, can_list: true, can_cleanup: true };

    expect(await call("GET", `${BASE}/default`)).toEqual([
      200,
      `${JSON.stringify({ name: "default", provider_type: "encrypted", capabilities })}\n`,
    ]);
  });

  test("takes a secret through its whole life without ever showing its value", async () => {
    const answers = [
      await call("POST", KEYS, { key: "b", value: VALUE }),
      await call("POST", KEYS, { key: "a", value: VALUE }),
      await call("GET", KEYS),
      await call("PUT", `${KEYS}/a`, { value: `${VALUE}-2` }),
      await call("DELETE", `${KEYS}/a`),
      await call("GET", KEYS),
    ];

    expect(answers).toEqual([
      [201, '{"key":"b","message":"Secret created successfully"}\n'],
      [201, '{"key":"a","message":"Secret created successfully"}\n'],
      [200, '{"keys":[{"key":"a","used_by":[]},{"key":"b","used_by":[]}]}\n'],
      [200, '{"key":"a","message":"Secret updated successfully"}\n'],
      [204, ""],
      [200, '{"keys":[{"key":"b","used_by":[]}]}\n'],
    ]);
    expect(JSON.stringify(answers)).not.toContain(VALUE);
  });

  test("reports which secrets exist and which do not", async () => {
    await call("POST", KEYS, { key: "a", value: VALUE });

    expect(await call("POST", KEYS, { key: "a", value: "x" })).toEqual([409, "Secret already exists\n"]);
    expect(await call("PUT", `${KEYS}/none`, { value: "x" })).toEqual([404, "Secret not found\n"]);
    expect(await call("DELETE", `${KEYS}/none`)).toEqual([404, "Secret not found\n"]);
  });

  test.each(["a/b", "ключ", "k".repeat(1024)])("the key %j can be addressed", async (key) => {
    expect((await call("POST", KEYS, { key, value: VALUE }))[0]).toBe(201);

    await changeAndDelete(key);
  });

  test.each(["a b", "%", ".."])(
    "the key %j is none for a new secret, and one of an older version can be addressed",
    async (key) => {
      expect(await call("POST", KEYS, { key, value: VALUE })).toEqual([
        400,
        expect.stringContaining("letters, digits"),
      ]);
      await storeAsOlderVersion(served.home, "pw pw pw", { key, value: VALUE });

      expect(await served.secrets.read(key)).toBe(VALUE);
      await changeAndDelete(key);
    },
  );

  async function changeAndDelete(key: string): Promise<void> {
    expect(await call("PUT", `${KEYS}/${encodeURIComponent(key)}`, { value: "x" })).toEqual([
      200,
      `${JSON.stringify({ key, message: "Secret updated successfully" })}\n`,
    ]);
    expect(await call("DELETE", `${KEYS}/${encodeURIComponent(key)}`)).toEqual([204, ""]);
  }

  test("the same secret created many times at once is created once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_value, index) => call("POST", KEYS, { key: "a", value: `v${index}` })),
    );

    expect(answers.map(([status]) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test("a wrong new password is refused as long as the known one is wrong as well", async () => {
    await using other = await ServedWorld.start();

    const refused = await other.send("POST", BASE, { body: JSON.stringify({ provider_type: "encrypted" }) });
    const accepted = await other.send("POST", BASE, {
      body: JSON.stringify({ provider_type: "encrypted", password: "one of mine" }),
    });

    expect(refused.status).toBe(400);
    expect(refused.body).toMatch(/^failed to create provider: OS keyring is not available\./);
    expect(accepted.status).toBe(201);
  });
});

test("a new password of fewer than 8 characters is refused, and nothing is set up", async () => {
  expect(await call("POST", BASE, { provider_type: "encrypted", password: "seven c" })).toEqual([
    400,
    "The password has 7 characters, which is too short for a new one.\n",
  ]);
  expect((await call("GET", `${BASE}/default`))[0]).toBe(404);
});

test("1Password without a token is a failed validation, and nothing is set up", async () => {
  expect(await call("POST", BASE, { provider_type: "1password" })).toEqual([
    500,
    "Provider validation failed: failed to create provider: OP_SERVICE_ACCOUNT_TOKEN is not set\n",
  ]);
  expect((await call("GET", `${BASE}/default`))[0]).toBe(404);
});

test("clients that accept JSON get the code and a hint", async () => {
  const { headers, body } = await served.send("GET", KEYS, { headers: { accept: "application/json" } });

  expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
  expect(JSON.parse(body)).toMatchObject({
    status: 404,
    code: "SECRETS_NOT_SET_UP",
    hint: "Set one up: thv secret setup",
  });
});

test("a secret says which workloads have it, whether they run or not", async () => {
  await setUp("encrypted");
  for (const key of ["a", "b"]) await call("POST", KEYS, { key, value: VALUE });
  served.world.secrets.set("a", VALUE);
  for (const name of ["two", "one"]) {
    const secrets = [
      { name: "a", target: "A" },
      { name: "a", target: "B" },
    ];
    await served.supervisor.create({ name, image: "mcp/echo:1", secrets });
  }
  await (await served.supervisor.stop("two")).done;

  expect(await call("GET", KEYS)).toEqual([
    200,
    '{"keys":[{"key":"a","used_by":["one","two"]},{"key":"b","used_by":[]}]}\n',
  ]);
});
