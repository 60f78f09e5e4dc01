import { describe, expect, test } from "vitest";
import {
  describeLocked,
  findLockProblem,
  formatLock,
  nameLockedEntry,
  readLock,
  suggestSource,
} from "./project-lock.ts";

const DIGEST = `sha256:${"a1".repeat(32)}`;
const ENTRIES = {
  fetch: { run: "fetch", package: "uvx://mcp-server-fetch@2026.1.1", version: "2026.1.1" },
  echo: { run: "mcp/echo:1", image: "mcp/echo:1", digest: DIGEST },
};

test("a lock is read as it was written, whatever the order of its servers", () => {
  const text = formatLock(ENTRIES);

  expect(readLock(text, "thv.lock")).toEqual(ENTRIES);
  expect(formatLock({ echo: ENTRIES.echo, fetch: ENTRIES.fetch })).toBe(text);
});

test.each([
  ["{", /thv\.lock cannot be used: line 1 is not JSON/],
  ['{"lock_version":2,"servers":{}}', /lock_version 2, and this thv knows 1/],
  [
    '{"lock_version":1,"servers":{"a":{"run":"a","digest":"md5:1"}}}',
    /servers\.a\.digest is "md5:1" but must be sha256:/,
  ],
  ['{"lock_version":1,"servers":{"a":{"run":"a","hash":"1"}}}', /servers\.a has the unknown member "hash"/],
  ["[]", /the file is a list/],
])("says what is wrong with %s", (text, expected) => {
  expect(() => readLock(text, "thv.lock")).toThrow(expected);
});

test("each problem of a lock has its place, as a path and as a line", () => {
  const text = JSON.stringify(
    { lock_version: 1, servers: { echo: { run: "echo", digest: "latest", tols: {} } } },
    null,
    2,
  );
  const read = (...owner: string[]) => {
    try {
      return readLock(text, "thv.lock", ...owner);
    } catch (error) {
      return error;
    }
  };

  expect(read()).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/^thv\.lock cannot be used: .*line 6: servers\.echo\.digest is/),
    problems: expect.arrayContaining([
      { path: ["servers", "echo", "digest"], sentence: expect.stringMatching(/^line 6: servers\.echo\.digest is/) },
      { path: ["servers", "echo", "tols"], sentence: expect.stringMatching(/^line 7: /) },
    ]),
  });
  expect(read("lock")).toMatchObject({
    problems: expect.arrayContaining([expect.objectContaining({ path: ["lock", "servers", "echo", "digest"] })]),
  });
});

describe("what is locked", () => {
  test.each([
    ["npx://@acme/weather@1.4.0", "1.4.0"],
    ["npx://@acme/weather", undefined],
    ["uvx://mcp-server-fetch@2026.1.1", "2026.1.1"],
    ["go://github.com/acme/weather@v1.2.3", "v1.2.3"],
  ])("of the package %s is version %s", (target, version) => {
    const entry = describeLocked("weather", { image: "built:1", image_from: "build", package: target });

    expect(entry).toEqual({ run: "weather", package: target, ...(version !== undefined && { version }) });
  });

  test("of an image is its digest, when a registry gave it one", () => {
    const plan = { image: "mcp/echo:1", image_from: "engine" };

    expect(describeLocked("echo", plan, [`mcp/echo@${DIGEST}`])).toEqual({
      run: "echo",
      image: "mcp/echo:1",
      digest: DIGEST,
    });
    expect(describeLocked("echo", plan)).toEqual({ run: "echo", image: "mcp/echo:1" });
  });

  test("is nothing of a remote server", () => {
    expect(describeLocked("far", { image: "https://mcp.example.com/mcp", image_from: "remote" })).toBeUndefined();
  });

  test("of the entry of a further registry source is that source: its address without a sign-in, and no path", () => {
    const lock = (registry_source: string, image_from = "engine") =>
      describeLocked("weather", { image: "mcp/weather:1", image_from, registry_source })?.registry_source;

    expect(lock("team (https://ann:secret@team.example.com/registry.json)")).toEqual({
      name: "team",
      url: "https://team.example.com/registry.json",
    });
    expect(lock("team (/home/ann/registry.json)")).toEqual({ name: "team" });
    expect(lock("team (https://team.example.com/)", "remote")).toEqual({
      name: "team",
      url: "https://team.example.com/",
    });
  });

  test("differs when the entry of another source would run, and says how to get that one", () => {
    const source = (name: string, url?: string) => ({ registry_source: { name, ...(url !== undefined && { url }) } });
    const locked = { run: "weather", image: "mcp/weather:1", ...source("team", "https://team.example.com/") };
    const plan = (more: object = {}) => ({ run: "weather", image: "mcp/weather:1", ...more });

    expect(findLockProblem("one", locked, plan(source("ours", "https://team.example.com/")))).toBeUndefined();
    expect(findLockProblem("one", locked, plan(source("team", "https://evil.example.com/")))).toBe(
      '"one" would run weather of "team" (https://evil.example.com/), but the lock file records the entry of the registry source "team" (https://team.example.com/)',
    );
    expect(findLockProblem("one", locked, plan())).toContain("of the default registry or an image");
    expect(
      findLockProblem("one", { run: "weather", image: "mcp/weather:1", ...source("team") }, plan(source("other"))),
    ).toContain('"other"');
    expect(findLockProblem("one", plan(), plan(source("team")))).toBeUndefined();
    expect(suggestSource(locked)).toBe(
      "Add that source: thv registry source add team https://team.example.com/. Or take another source: write run: SOURCE/weather in the project file",
    );
  });

  test("is looked up in the source of its address, whatever this machine calls that", () => {
    const locked = (run: string, url?: string) => ({ run, registry_source: { name: "team", ...(url && { url }) } });
    const here = [
      { name: "default", location: "https://team.example.com/" },
      { name: "team", location: "https://evil.example.com/" },
      { name: "ours", location: "https://me:hunter2@team.example.com/" },
      { name: "local", location: "/srv/registry.json" },
    ];

    expect(nameLockedEntry(locked("weather", "https://team.example.com/"), here)).toBe("ours/weather");
    expect(nameLockedEntry(locked("team/weather", "https://team.example.com/"), here)).toBe("ours/weather");
    expect(nameLockedEntry(locked("io.acme/weather@1.2", "https://evil.example.com/"), here)).toBe(
      "team/io.acme/weather@1.2",
    );
    expect(nameLockedEntry(locked("weather", "https://other.example.com/"), here)).toBeUndefined();
    expect(nameLockedEntry(locked("weather"), here.slice(2))).toBeUndefined();
    expect(nameLockedEntry({ run: "weather" }, here)).toBeUndefined();
  });

  test("differs when another image or package would run", () => {
    const other = { run: "mcp/echo:1", image: "mcp/echo:2" };

    expect(findLockProblem("echo", ENTRIES.echo, other)).toBe(
      '"echo" would run mcp/echo:2, but the lock file records mcp/echo:1',
    );
    expect(findLockProblem("echo", ENTRIES.echo, ENTRIES.echo)).toBeUndefined();
  });
});
