import { expect, test } from "vitest";
import { listSteps, type ReadSet } from "./set-steps.ts";

const SET: ReadSet = {
  name: "shop",
  servers: [
    { name: "fetch", run: "fetch", groups: ["work"], request: { image: "fetch", name: "fetch" } },
    { name: "maps", run: "mcp/maps", groups: ["work", "home"], request: { image: "mcp/maps", name: "maps" } },
    { name: "alone", run: "mcp/alone", request: { image: "mcp/alone", name: "alone" } },
  ],
  groups: [
    { name: "work", naming: "always", clients: ["cursor"] },
    { name: "default", clients: ["vscode"] },
  ],
  secrets: [],
  problems: [],
};
const show = (chosen: readonly string[], present = { groups: ["default"], servers: [] as string[] }) =>
  listSteps(SET, new Set(chosen), present).map((step) =>
    [step.kind, step.name, ...("group" in step ? [step.group] : [])].join(" "),
  );

test("groups come first, then servers, their groups and the clients", () => {
  expect(show(["fetch", "maps", "alone"])).toEqual([
    ...["group work", "group home", "server fetch", "server maps", "server alone"],
    ...["member fetch work", "member maps work", "member maps home", "client cursor work", "client vscode default"],
  ]);
  expect(listSteps(SET, new Set(["fetch"]), { groups: [], servers: [] })[0]).toEqual({
    kind: "group",
    name: "work",
    body: { name: "work", naming: "always" },
  });
});

test("what is not chosen is left out, and what is there already stays as it is", () => {
  expect(show(["maps"], { groups: ["default", "work"], servers: ["maps"] })).toEqual([
    ...["group home", "member maps work", "member maps home", "client cursor work", "client vscode default"],
  ]);
});
