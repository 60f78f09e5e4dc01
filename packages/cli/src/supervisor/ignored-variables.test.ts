import { expect, test } from "vitest";
import { findIgnored } from "./ignored-variables.ts";
import type { SupervisorRecord } from "./supervisor-files.ts";

const RECORD: SupervisorRecord = {
  pid: 4711,
  version: "v1.0.0",
  socket: "/s",
  startedAt: "2026-01-01T00:00:00Z",
  mode: "background",
  variables: { TOOLHIVE_NPX_BASE_IMAGE: "node:24" },
  engine: { kind: "docker", version: "28.0.1", address: "/var/run/docker.sock" },
};

test("another engine is ignored, with the one in use and what would change it", () => {
  const ignored = findIgnored({ DOCKER_HOST: "unix:///run/podman.sock" }, RECORD);

  expect(ignored?.message).toBe(
    "DOCKER_HOST=unix:///run/podman.sock is ignored: the supervisor that runs (pid 4711), which uses Docker 28.0.1 at /var/run/docker.sock, was started with other variables.",
  );
  expect(ignored?.fix).toContain("kill 4711");
});

test("images are ignored, without a word about the engine", () => {
  const env = { TOOLHIVE_NPX_BASE_IMAGE: "node:22", TOOLHIVE_SIDECAR_IMAGE: "mine:1" };

  expect(findIgnored(env, RECORD)?.message).toBe(
    "TOOLHIVE_NPX_BASE_IMAGE=node:22, TOOLHIVE_SIDECAR_IMAGE=mine:1 are ignored: the supervisor that runs (pid 4711) was started with other variables.",
  );
});

test("one in the foreground is started again where it runs", () => {
  expect(findIgnored({ TOOLHIVE_SIDECAR_IMAGE: "mine:1" }, { ...RECORD, mode: "foreground" })?.fix).toBe(
    "End thv serve where it runs, and start it again with them.",
  );
});

test.each([
  ["nothing is given", {}],
  ["the same is given", { TOOLHIVE_NPX_BASE_IMAGE: "node:24" }],
  ["the engine in use is given by its address", { DOCKER_HOST: "unix:///var/run/docker.sock" }],
  ["the engine in use is given by its socket", { TOOLHIVE_DOCKER_SOCKET: "/var/run/docker.sock" }],
  ["something else is given", { DOCKER_CONFIG: "/x", TOOLHIVE_SECRETS_PASSWORD: "p" }],
])("nothing is said when %s", (_what, env) => {
  expect(findIgnored(env, RECORD)).toBeUndefined();
});

test("no variable is reported of a supervisor that does not record its variables", () => {
  const { variables: _variables, ...older } = RECORD;
  expect(findIgnored({ DOCKER_HOST: "unix:///run/podman.sock" }, older)).toBeUndefined();
});
