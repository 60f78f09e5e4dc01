import { expect, test } from "vitest";
import { listCandidateHosts } from "./host-engines.ts";

test("the engine that DOCKER_HOST names is tried first", () => {
  const hosts = listCandidateHosts({ DOCKER_HOST: "tcp://127.0.0.1:2375" }, "/home/ada");

  expect(hosts[0]).toBe("tcp://127.0.0.1:2375");
});

test("rootless engines are searched in the runtime folder when there is one", () => {
  const rootless = "unix:///run/user/1000/podman/podman.sock";

  expect(listCandidateHosts({ XDG_RUNTIME_DIR: "/run/user/1000" }, "/home/ada")).toContain(rootless);
  expect(listCandidateHosts({}, "/home/ada")).not.toContain(rootless);
});
