import { expect, test } from "vitest";
import { mergeRequest, removeSetting } from "./merge-request.ts";

const BASE = {
  image: "mcp/echo:1",
  env_vars: ["A=1", "B=2"],
  secrets: [{ name: "stored", target: "TOKEN" }],
  volumes: ["/x:/data", "/y:/more:ro"],
  labels: { team: "maps" },
  limits: { cpus: 1, memory_bytes: 7 },
  header_forward: { add_plaintext_headers: { One: "1" } },
  tools: ["a", "b"],
};

test("what has a name takes the place of what has the same one, and everything else stays", () => {
  expect(
    mergeRequest(BASE, {
      env_vars: ["B=3", "C=4"],
      secrets: [{ name: "other", target: "TOKEN" }],
      volumes: ["/z:/data:ro"],
      labels: { env: "test" },
      limits: { cpus: 2 },
      header_forward: { add_headers_from_secret: { Two: "stored" } },
      tools: ["c"],
    }),
  ).toEqual({
    image: "mcp/echo:1",
    env_vars: ["A=1", "B=3", "C=4"],
    secrets: [{ name: "other", target: "TOKEN" }],
    volumes: ["/z:/data:ro", "/y:/more:ro"],
    labels: { team: "maps", env: "test" },
    limits: { cpus: 2, memory_bytes: 7 },
    header_forward: { add_plaintext_headers: { One: "1" }, add_headers_from_secret: { Two: "stored" } },
    tools: ["c"],
  });
  expect(mergeRequest(BASE, {})).toEqual(BASE);
});

test("a variable becomes a secret, and a secret a variable, without being both", () => {
  expect(mergeRequest(BASE, { secrets: [{ name: "a", target: "A" }] })).toMatchObject({
    env_vars: ["B=2"],
    secrets: [{ target: "TOKEN" }, { target: "A" }],
  });
  const back = mergeRequest(BASE, { env_vars: ["TOKEN=plain"] });
  expect(back.env_vars).toEqual(["A=1", "B=2", "TOKEN=plain"]);
  expect(back.secrets).toBeUndefined();
});

test.each([
  [["env_vars", "A"], { env_vars: ["B=2"] }],
  [["secrets", "TOKEN"], { secrets: undefined }],
  [["volumes", "/more"], { volumes: ["/x:/data"] }],
  [["labels", "team"], { labels: undefined }],
  [["limits", "cpus"], { limits: { memory_bytes: 7 } }],
  [["limits"], { limits: undefined }],
  [["header_forward", "add_plaintext_headers", "One"], { header_forward: undefined }],
  [["tools", "a"], { tools: ["b"] }],
])("%j is taken away, and nothing else", (path, left) => {
  const expected = Object.fromEntries(Object.entries({ ...BASE, ...left }).filter(([, value]) => value !== undefined));

  expect(removeSetting(BASE, path)).toEqual(expected);
});

test.each([
  [["env_vars", "C"]],
  [["limits", "pids"]],
  [["user"]],
  [["header_forward", "add_headers_from_secret", "One"]],
])("%j, which is not there, is reported", (path) => {
  expect(removeSetting(BASE, path)).toBeUndefined();
});
