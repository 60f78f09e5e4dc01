import { expect, test } from "vitest";
import type { Catalog } from "../registry/select-entries.ts";
import { listGroupServers, proposeGroupName, toGroupRequest } from "./group-servers.ts";

const LOCAL = {
  source: "team",
  reference: "github",
  server: {
    description: "Repositories",
    env_vars: [
      { name: "TOKEN", description: "", required: true, secret: true },
      { name: "HOST", description: "", required: false },
    ],
    permissions: { network: { outbound: { allow_host: ["api.github.com"], allow_port: [443] } } },
  },
};
const REMOTE = {
  source: "team",
  reference: "tracker",
  remote_server: {
    description: "Issues",
    url: "https://tracker.example.com/mcp",
    headers: [{ name: "X-Key", description: "", required: true, secret: true }],
  },
};
const CATALOG = { entries: [LOCAL, REMOTE] } as unknown as Catalog;
const GROUP = {
  name: "Daily work",
  source: "team",
  references: ["github", "tracker", "gone"],
} as Catalog["groups"][number];

test("each server of a group asks for what its entry asks for, and is limited as its entry says", () => {
  const [github, tracker, gone] = listGroupServers(GROUP, CATALOG);
  if (!github || !tracker || !gone) throw new Error("A server is missing.");
  expect(github.asked.map(({ name }) => name)).toEqual(["TOKEN", "HOST"]);
  expect(toGroupRequest(github, { TOKEN: "github-token", HOST: "ghe.example.com" }, "work")).toEqual({
    image: "github",
    env_vars: ["HOST=ghe.example.com"],
    secrets: [{ name: "github-token", target: "TOKEN" }],
    network_isolation: true,
    group: "work",
  });
  expect(toGroupRequest(tracker, { "X-Key": "tracker-key" }, "work")).toMatchObject({
    image: "tracker",
    group: "work",
    header_forward: { add_headers_from_secret: { "X-Key": "tracker-key" } },
  });
  // What is gone from the registry is refused with its name when it is planned.
  expect(toGroupRequest(gone, {}, "work")).toEqual({ image: "gone", group: "work" });
});

test("a group gets a name that is one", () => {
  expect([proposeGroupName("Daily work"), proposeGroupName("daily"), proposeGroupName("-x")]).toEqual([
    "Daily-work",
    "daily",
    "gx",
  ]);
});
