/** `thv config set`, `get`, `unset` and `list` beside the commands of single settings. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";
import { SETTING_KEYS } from "./by-key-definition.ts";
import { CONFIG_COMMANDS } from "./definition.ts";
import { OTEL_COMMANDS } from "./otel-definition.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const call = async (...words: readonly string[]) => await thv.call(["config", ...words]);

test.each([
  ["sleep-after", "get-sleep-after", "10m", "10m\n"],
  ["otel.endpoint", "otel get-endpoint", "localhost:4318", "localhost:4318\n"],
  ["otel.env-vars", "otel get-env-vars", "A,B", "A,B\n"],
  ["otel.insecure", "otel get-insecure", "true", "true\n"],
  ["otel.sampling-rate", "otel get-sampling-rate", "0.5", "0.5\n"],
  ["engine", "get-engine", "unix:///nowhere/engine.sock", "unix:///nowhere/engine.sock\n"],
])("%s is the setting of %s", async (key, single, value, shown) => {
  expect((await call("set", key, value)).code).toBe(0);
  expect((await call("get", key)).stdout).toBe(shown);
  expect((await call(...single.split(" "))).stdout).toBe(shown);
  expect((await call("list")).stdout).toMatch(new RegExp(`^${key} +${value}$`, "m"));

  expect((await call("unset", key)).code).toBe(0);
  expect((await call("get", key)).stdout).toBe("");
});

test("usage is the setting of get-usage, and on by default", async () => {
  expect((await call("set", "usage", "off")).code).toBe(0);
  expect((await call("get", "usage")).stdout).toBe("off\n");
  expect((await call("get-usage")).stdout).toBe("off\n");
  expect((await call("list")).stdout).toMatch(/^usage +off$/m);

  expect((await call("unset", "usage")).code).toBe(0);
  expect((await call("get", "usage")).stdout).toBe("on\n");
});

test("every setting with a command of its own has a key", () => {
  const words = [...CONFIG_COMMANDS, ...OTEL_COMMANDS].map(({ path }) => path.slice(1).join(" "));
  const settings = words.flatMap((word) => (/^(?:otel )?set-/.test(word) ? [word.replace("otel set-", "otel.")] : []));

  expect(settings.map((word) => word.replace("set-", "")).sort()).toEqual([...SETTING_KEYS].sort());
});

test("registry-url takes what its own command takes, and list shows every setting", async () => {
  const path = join(thv.home, "registry.json");
  await writeFile(path, JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {} }));

  expect((await call("set", "registry-url", path)).code).toBe(0);
  expect(JSON.parse((await call("list", "--format", "json")).stdout)).toMatchObject({
    "registry-url": path,
    "sleep-after": null,
  });
  expect(Object.keys(JSON.parse((await call("list", "--format", "json")).stdout) as object).sort()).toEqual(
    [...SETTING_KEYS].sort(),
  );
  expect((await call("unset", "registry-url")).stdout).toContain("The registry that comes with thv");
});

test.each([
  [["set", "sleep-aftr", "10m"], "Did you mean: thv config set sleep-after"],
  [["set", "sleep-after", "soon"], '"soon"'],
  [["set", "usage", "maybe"], 'VALUE is "maybe", but must be on or off.'],
  [["set", "sleep-after"], "VALUE"],
  [["get"], "KEY"],
])("config %j is refused with the reason", async (words, reason) => {
  const refused = await call(...words);

  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(reason);
});
