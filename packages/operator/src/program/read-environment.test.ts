import { expect, test } from "vitest";
import { readEnvironment } from "./read-environment.ts";

const IMAGE = "toolhive/thv:1";

test("an environment that says nothing watches all namespaces, and runs proxies from the operator's own image", () => {
  expect(readEnvironment({}, IMAGE)).toMatchObject({
    namespaces: [],
    networks: [],
    settings: { runnerImage: IMAGE, proxyHost: "0.0.0.0" },
  });
});

test("sidecars are started from the proxies' image, from another one, or not at all", () => {
  const read = (env: Record<string, string>) => readEnvironment(env, IMAGE).settings.sidecarImage;

  expect(read({})).toBe(IMAGE);
  expect(read({ TOOLHIVE_RUNNER_IMAGE: "r:1" })).toBe("r:1");
  expect(read({ TOOLHIVE_RUNNER_IMAGE: "r:1", TOOLHIVE_SIDECAR_IMAGE: "s:1" })).toBe("s:1");
  expect(read({ TOOLHIVE_SIDECAR_IMAGE: "none" })).toBeUndefined();
});

test("lists are separated by commas, and spaces around names are no part of them", () => {
  const env = { WATCH_NAMESPACE: "team-a, team-b", TOOLHIVE_CLUSTER_NETWORKS: "10.96.0.0/12,10.244.0.0/16" };

  expect(readEnvironment(env, IMAGE)).toMatchObject({
    namespaces: ["team-a", "team-b"],
    networks: ["10.96.0.0/12", "10.244.0.0/16"],
  });
});

test.each([
  ["WATCH_NAMESPACE", "Team A"],
  ["TOOLHIVE_CLUSTER_NETWORKS", "fd00::/64"],
  ["TOOLHIVE_CLUSTER_NETWORKS", "10.96.0.0/33"],
])("%s=%s is refused by name", (variable, value) => {
  expect(() => readEnvironment({ [variable]: value }, IMAGE)).toThrow(variable);
});

test("servers may not have the node, unless the environment says so in exactly one word", () => {
  const read = (text: string) =>
    readEnvironment({ TOOLHIVE_ALLOW_PRIVILEGED_SERVERS: text }, IMAGE).settings.allowsPrivilegedServers;

  expect([read(""), read("false"), read("true")]).toEqual([false, false, true]);
  for (const text of ["yes", "1", "TRUE", "true "]) expect(() => read(text)).toThrow("must be true or false");
});

test("the chart says which namespace the operator is in", () => {
  expect(readEnvironment({ POD_NAMESPACE: "toolhive-system" }, IMAGE).namespace({} as never)).toBe("toolhive-system");
});
