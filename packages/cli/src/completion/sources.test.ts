/** Names from this machine's files and its supervisor, and silence about everything that cannot be read. */
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../testing/served-thv.ts";

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await context.call(["__complete", "--", ...words]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.trimEnd().split("\n");
}

describe("completion", () => {
  test.each(["stop", "restart", "rm", "logs"])("of %s offers the saved servers", async (command) => {
    await mkdir(context.files.runConfigs, { recursive: true });
    for (const name of ["b-two", "a-one"]) await writeFile(join(context.files.runConfigs, `${name}.json`), "{}");

    const lines = await complete(command, "");

    expect(lines.filter((line) => /^[ab]-/.test(line))).toEqual(["a-one", "b-two"]);
  });

  test("of run and registry info offers the servers of the registry, with what they are", async () => {
    for (const words of [["run"], ["registry", "info"]]) {
      expect(await complete(...words, "every")).toEqual([":none", expect.stringMatching(/^everything\t\S.*…$/)]);
    }
  });

  test("of a registry on the web that was never read offers nothing, and reads nothing", async () => {
    const folder = join(context.env.XDG_CONFIG_HOME ?? "", "toolhive");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.yaml"), "registry_url: https://127.0.0.1:1/registry.json\n");

    expect(await complete("run", "")).toEqual([":none"]);
  });

  test("with settings that cannot be read offers nothing and says nothing", async () => {
    const folder = join(context.env.XDG_CONFIG_HOME ?? "", "toolhive");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.yaml"), "registry_url: [\n");

    expect(await complete("run", "")).toEqual([":none"]);
  });

  test("of client register offers the clients that are known", async () => {
    expect(await complete("client", "register", "vsc")).toEqual([
      ":none",
      "vscode-insider\tVisual Studio Code Insiders",
      "vscode\tVisual Studio Code",
    ]);
  });

  test("of secret get offers the names that the supervisor knows", async () => {
    const { stderr } = await context.call(["secret", "provider", "encrypted"], {
      env: { TOOLHIVE_SECRETS_PASSWORD: "correct horse" },
    });
    expect(stderr).not.toContain("Error");
    const file = join(context.home, "value");
    await writeFile(file, "v");
    await context.call(["secret", "set", "github-token", "--file", file]);

    expect(await complete("secret", "get", "")).toEqual([":none", "github-token"]);
  });

  test("without a supervisor offers no secrets and starts none", async () => {
    await rm(context.files.socket);

    expect(await complete("secret", "get", "")).toEqual([":none"]);
    await expect(access(context.files.log)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("of --file leaves it to the shell", async () => {
    expect(await complete("secret", "set", "x", "--file", "")).toEqual([":file"]);
  });

  test("takes an empty last word as a flag from shells that cannot pass it on", async () => {
    const { stdout } = await context.call(["__complete", "--then-empty", "--", "completion"]);

    expect(stdout).toBe(":none\nbash\nzsh\nfish\npowershell\n");
  });
});
