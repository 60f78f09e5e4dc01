import { expect, test } from "vitest";
import type { OperationAnswer } from "../../api/client.ts";
import { proposeGroupName, toGroupRequest, toGroupServer } from "./group-servers.ts";

type Located = OperationAnswer<"getCatalogEntry">;

const LOCAL = {
  server: {
    description: "Repositories",
    env_vars: [
      { name: "TOKEN", description: "", required: true, secret: true },
      { name: "HOST", description: "", required: false },
    ],
    permissions: { network: { outbound: { allow_host: ["api.github.com"], allow_port: [443] } } },
  },
} as unknown as Located;
const REMOTE = {
  remote_server: {
    description: "Issues",
    url: "https://tracker.example.com/mcp",
    headers: [{ name: "X-Key", description: "", required: true, secret: true }],
  },
} as unknown as Located;

test("each server of a group asks for what its entry asks for, and is limited as its entry says", () => {
  const github = toGroupServer("team/github", LOCAL);
  expect(github.asked.map(({ name }) => name)).toEqual(["TOKEN", "HOST"]);
  expect(toGroupRequest(github, { TOKEN: "github-token", HOST: "ghe.example.com" }, "work")).toEqual({
    image: "team/github",
    env_vars: ["HOST=ghe.example.com"],
    secrets: [{ name: "github-token", target: "TOKEN" }],
    network_isolation: true,
    group: "work",
  });
  const tracker = toGroupServer("tracker", REMOTE);
  expect(toGroupRequest(tracker, { "X-Key": "tracker-key" }, "work")).toMatchObject({
    image: "tracker",
    group: "work",
    header_forward: { add_headers_from_secret: { "X-Key": "tracker-key" } },
  });
});

test("a group gets a name that is one", () => {
  expect([proposeGroupName("Daily work"), proposeGroupName("daily"), proposeGroupName("-x")]).toEqual([
    "Daily-work",
    "daily",
    "gx",
  ]);
});
