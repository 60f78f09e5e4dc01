import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeEngines, runThv, type TestEngine, ThrowawayHome } from "@toolhive/testing";
import { describe, expect, test } from "vitest";
import { withMcpClient } from "../src/testing/mcp-client.ts";

const VALUE = "tok-7f3a-plain";
const PASSWORD = "correct horse";
const ENV = { TOOLHIVE_SECRETS_PASSWORD: PASSWORD };

/** What the server in the container has as `API_TOKEN`. */
async function tokenSeenBy(url: string): Promise<string> {
  return await withMcpClient(url, async (client) => {
    const answer = await client.callTool({ name: "get-env", arguments: {} });
    return JSON.stringify(answer);
  });
}

/** Every file below the folder, as text. */
async function readContent(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

async function runWithSecret(home: ThrowawayHome, engine: TestEngine): Promise<string> {
  const args = ["run", "--name", "sealed", "--secret", "token,target=API_TOKEN", "mcp/everything:test"];
  const { code, stdout, stderr } = await runThv(args, { home, engine, env: ENV });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout.trim().split(" ").at(-1) ?? "";
}

describeEngines("a secret on $kind", (engine) => {
  test("reaches the server's environment and no other place, and a new value at the next start", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["secret", "provider", "encrypted"], { home, engine, env: ENV });
    await runThv(["secret", "set", "token"], { home, engine, env: ENV, input: `${VALUE}\n` });

    const url = await runWithSecret(home, engine);

    expect(await tokenSeenBy(url)).toContain(VALUE);
    const inspected = JSON.parse((await engine.cli(["inspect", "sealed"])).stdout)[0];
    expect(inspected.Config.Env).toContain(`API_TOKEN=${VALUE}`);
    const { Env: _env, ...rest } = inspected.Config;
    expect(JSON.stringify([rest, inspected.Args, inspected.Path])).not.toContain(VALUE);
    const processes = (await home.listProcesses()).map(({ pid }) => readFile(`/proc/${pid}/cmdline`, "latin1"));
    expect((await Promise.all(processes)).join()).not.toContain(VALUE);
    const files = await readContent(home.path);
    expect(files).toContain("token,target=API_TOKEN");
    expect(files).not.toContain(VALUE);
    expect(files).not.toContain(PASSWORD);

    await runThv(["secret", "set", "token"], { home, engine, env: ENV, input: "second-value" });
    expect((await runThv(["restart", "sealed"], { home, engine, env: ENV })).code).toBe(0);

    expect(await tokenSeenBy(url)).toContain("second-value");
  });

  test("that does not exist is refused by its name, and nothing is created", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["secret", "provider", "encrypted"], { home, engine, env: ENV });

    const args = ["run", "--name", "sealed", "--secret", "nope,target=API_TOKEN", "mcp/everything:test"];
    const { code, stderr } = await runThv(args, { home, engine, env: ENV });

    expect(code).toBe(3);
    expect(stderr).toContain('secret "nope": There is no secret named "nope".');
    expect((await runThv(["list", "--all", "--format", "json"], { home, engine })).stdout.trim()).toBe("[]");
  });
});

describe("thv secret", () => {
  test("keeps a secret through its whole life, without the password wherever the supervisor knows it", async () => {
    await using home = await ThrowawayHome.create();
    const steps: [args: string[], input: string | undefined, env: Record<string, string>, stdout: string][] = [
      [
        ["provider", "encrypted", "--password-file", "-"],
        PASSWORD,
        {},
        'Secrets are kept by the provider "encrypted".\n',
      ],
      [["set", "token"], `${VALUE}\n`, {}, "token is stored.\n"],
      [["set", "token"], "two\nlines\n", {}, "token has a new value.\n"],
      [["get", "token"], undefined, {}, "two\nlines\n"],
      [["get", "token", "--format", "json"], undefined, {}, '{\n  "key": "token",\n  "value": "two\\nlines"\n}\n'],
      [["list"], undefined, {}, "Secrets:\n  - token\n"],
      [["list", "--format", "json"], undefined, {}, '[\n  {\n    "key": "token",\n    "used_by": []\n  }\n]\n'],
      [["reset-keyring", "--yes"], undefined, {}, "The password is forgotten.\n"],
      [["get", "token"], undefined, ENV, "two\nlines\n"],
      [["delete", "token"], undefined, {}, "token is deleted.\n"],
    ];

    for (const [args, input, env, stdout] of steps) {
      const result = await runThv(["secret", ...args], { home, input, env });
      expect({ args, ...result }).toMatchObject({ code: 0, stdout });
    }
  });

  test("changes the password with the present one only, and a mistyped set-up changes nothing", async () => {
    await using home = await ThrowawayHome.create();
    const thv = (args: string[], input?: string, env?: Record<string, string>) =>
      runThv(["secret", ...args], { home, input, env });
    await thv(["provider", "encrypted", "--password-file", "-"], PASSWORD);
    await thv(["set", "token"], VALUE);
    const wanted = join(home.path, "wanted");
    await writeFile(wanted, "another horse\n");
    const change = ["change-password", "--new-password-file", wanted, "--password-file", "-"];

    const mistyped = await thv(["provider", "encrypted", "--password-file", "-"], "mistyped");
    const wrong = await thv(change, "wrong");
    const changed = await thv(change, PASSWORD);

    expect(mistyped).toMatchObject({ code: 5, stderr: expect.stringContaining("thv secret change-password") });
    expect(wrong).toMatchObject({ code: 5, stderr: expect.stringContaining("The current password does not decrypt") });
    expect(changed).toMatchObject({ code: 0, stdout: "The password is changed.\n" });
    expect(await thv(["get", "token"])).toMatchObject({ stdout: `${VALUE}\n` });
    await home.stopSupervisor();
    expect(await thv(["get", "token"], undefined, ENV)).toMatchObject({ code: 5 });
    const env = { TOOLHIVE_SECRETS_PASSWORD: "another horse" };
    expect(await thv(["get", "token"], undefined, env)).toMatchObject({ stdout: `${VALUE}\n` });
  });

  test.each([
    [["list"], 5, "No secrets provider is set up."],
    [["provider", "vault"], 64, 'PROVIDER is "vault" but must be encrypted or 1password or none.'],
    [["provider", "encrypted"], 5, "OS keyring is not available."],
    [["setup"], 64, "thv secret setup asks questions, and this is not a terminal."],
    [["reset-keyring"], 64, "thv secret reset-keyring asks first, and this is not a terminal."],
    [["change-password"], 64, "thv secret change-password asks for the passwords, and this is not a terminal."],
    [
      ["change-password", "--password-file", "-", "--new-password-file", "-"],
      64,
      "--password-file and --new-password-file cannot both be standard input.",
    ],
    [
      ["change-password", "--from-keyring", "--password-file", "-"],
      64,
      "--password-file and --from-keyring both give the current password.",
    ],
    [["set", "token"], 5, "No secrets provider is set up."],
    [["lst"], 64, 'Unknown command "lst" for thv secret.'],
  ])("%j fails with exit code %d and says why", async (args, code, reason) => {
    await using home = await ThrowawayHome.create();

    const result = await runThv(["secret", ...args], { home, input: "value" });

    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(`Error: ${reason}`) });
  });

  test("a wrong password is refused and not kept, the right one opens", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["secret", "provider", "encrypted"], { home, env: ENV });
    await home.stopSupervisor();
    await runThv(["secret", "list"], { home, env: { TOOLHIVE_SECRETS_PASSWORD: "wrong" } });

    const wrong = await runThv(["secret", "list"], { home, env: { TOOLHIVE_SECRETS_PASSWORD: "wrong" } });
    const unknown = await runThv(["secret", "list"], { home });
    const right = await runThv(["secret", "list"], { home, env: ENV });

    expect(wrong).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("The password does not decrypt the secrets."),
    });
    expect(unknown.code).toBe(5);
    expect(right.code).toBe(0);
  });
});
