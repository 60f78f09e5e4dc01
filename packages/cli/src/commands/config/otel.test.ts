/** Settings of OpenTelemetry, and the commands of `thv config` that moved. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);

describe("config otel", () => {
  test.each([
    ["endpoint", "localhost:4318", "endpoint", "localhost:4318"],
    ["env-vars", "HOSTNAME, USER,HOSTNAME", "env-vars", ["HOSTNAME", "USER"]],
    ["sampling-rate", "0", "sampling-rate", 0],
    ["endpoint", "http://collector.example:4318", "endpoint", "http://collector.example:4318"],
    ["endpoint", "https://[2001:db8::1]:4318", "endpoint", "https://[2001:db8::1]:4318"],
    ["insecure", "true", "insecure", true],
    ["insecure", "false", "insecure", false],
  ])("sets, shows and forgets the %s", async (word, value, key, kept) => {
    const otel = (verb: string, ...more: string[]) => thv(["config", "otel", `${verb}-${word}`, ...more]);

    const before = await otel("get");
    expect(before).toMatchObject({ code: 0, stdout: "", stderr: expect.stringMatching(/^No .* is configured\.\n$/) });
    expect((await otel("set", value)).stdout).toMatch(/^The .* is .*\.\n$/);
    expect((await otel("get")).stdout).toBe(`${Array.isArray(kept) ? kept.join(",") : kept}\n`);
    expect(JSON.parse((await otel("get", "--format", "json")).stdout)).toEqual({ [key]: kept });
    expect(await otel("unset")).toMatchObject({ code: 0, stdout: expect.stringMatching(/is not set any more\.\n$/) });
    expect(await otel("unset")).toEqual(before);
  });

  test.each([
    ["set-endpoint", "ftp://collector:4318", "is not HOST or HOST:PORT"],
    ["set-endpoint", "http://collector:4318/path", "is not HOST or HOST:PORT"],
    ["set-endpoint", "http://user:word@collector", "is not HOST or HOST:PORT"],
    ["set-endpoint", "a b", "is not HOST or HOST:PORT"],
    ["set-endpoint", "host:70000", "is not HOST or HOST:PORT"],
    ["set-env-vars", "GOOD,not good,2nd", 'Not the name of a variable: "not good", "2nd".'],
    ["set-sampling-rate", "1.5", "must be a number from 0 to 1"],
    ["set-sampling-rate", "", "must be a number from 0 to 1"],
  ])("%s %j exits 2 and changes nothing", async (command, value, text) => {
    const { code, stdout, stderr } = await thv(["config", "otel", command, value]);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(text);
    expect(JSON.parse((await thv(["config", "otel", command.replace("set", "get"), "--format=json"])).stdout)).toEqual({
      [command.slice("set-".length)]: { endpoint: "", "env-vars": [], "sampling-rate": null }[
        command.slice("set-".length)
      ],
    });
  });
});

describe("deprecated commands", () => {
  test.each([
    [
      ["config", "list-registered-clients"],
      ["client", "list-registered"],
    ],
    [
      ["config", "register-client", "cursor"],
      ["client", "register", "cursor"],
    ],
    [
      ["config", "remove-client", "cursor"],
      ["client", "remove", "cursor"],
    ],
  ])("%j does what %j does, and says so first", async (old, successor) => {
    const [expected, actual] = [await thv(successor), await thv(old)];

    expect(actual).toEqual({
      ...expected,
      stderr: `Warning: thv ${old.slice(0, 2).join(" ")} is deprecated. Use thv ${successor.slice(0, 2).join(" ")} instead.\n${expected.stderr}`,
    });
  });
});
