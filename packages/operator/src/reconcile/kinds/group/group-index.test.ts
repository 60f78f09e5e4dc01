import { beforeEach, expect, test } from "vitest";
import { createServer } from "../../../testing/servers.ts";
import { GroupIndex } from "./group-index.ts";

const WORK = "tools/work/mcpgroups";
const MEMBER = createServer({ groupRef: { name: "work" } });

let told: string[] = [];
let index: GroupIndex;
beforeEach(() => {
  told = [];
  index = new GroupIndex((key) => told.push(key));
});

test("a server that joins, changes and leaves is told to its group, there or not", () => {
  index.track("tools/weather", MEMBER, undefined);
  expect([...index.listMembers(WORK)]).toEqual(["tools/weather"]);
  expect(told).toEqual([WORK, "tools/weather"]);

  index.track("tools/weather", createServer({ groupRef: { name: "work" }, port: 9000 }), MEMBER);
  expect(told.slice(2)).toContain(WORK);

  index.track("tools/weather", createServer({ groupRef: { name: "home" } }), MEMBER);
  expect([...index.listMembers(WORK)]).toEqual([]);
  expect([...index.listMembers("tools/home/mcpgroups")]).toEqual(["tools/weather"]);
});

test("a group that comes or goes is told to its servers", () => {
  index.track("tools/weather", MEMBER, undefined);
  told = [];
  index.tell(WORK);

  expect(told).toEqual([WORK, "tools/weather"]);
});

test("a server without a group is nobody's business", () => {
  index.track("tools/weather", createServer(), undefined);
  index.track("tools/weather", undefined, createServer());

  expect(told).toEqual([]);
});
