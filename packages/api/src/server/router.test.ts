import { expect, test } from "vitest";
import { OPERATIONS, SOCKET_OPERATIONS } from "../contract/contract.ts";
import type { Operation } from "../contract/parts/operation.ts";
import { API_BASE, ROUTES } from "../contract/routes.ts";
import { Router } from "./router.ts";

const router = new Router({ ...OPERATIONS, ...SOCKET_OPERATIONS } as unknown as Record<string, Operation>);

test.each([
  ["GET", `${API_BASE}/workloads`, "listWorkloads", {}],
  ["GET", `${API_BASE}/workloads/`, "listWorkloads", {}],
  ["POST", `${API_BASE}/workloads/stop`, "stopWorkloads", {}],
  ["GET", `${API_BASE}/workloads/stop`, "getWorkload", { name: "stop" }],
  ["GET", `${API_BASE}/workloads/a%2Fb/logs`, "getWorkloadLogs", { name: "a/b" }],
  ["GET", "/supervisor", "getSupervisor", {}],
])("%s %s is %s", (method, path, id, params) => {
  const found = router.find(method, path);

  expect([found?.route.id, found?.params]).toEqual([id, params]);
});

test.each([
  ["GET", `${API_BASE}/workloads/a/`],
  ["GET", `${API_BASE}/workloads/${"a".repeat(4_000)}`],
  ["PATCH", `${API_BASE}/workloads`],
])("%s %.60s is nobody's", (method, path) => {
  expect(router.find(method, path)).toBeUndefined();
});

test("every path allows the methods that the document has there, each once", () => {
  const documented = new Map<string, string[]>();
  for (const { method, path } of Object.values(ROUTES)) documented.set(path, [...(documented.get(path) ?? []), method]);

  const listed = [...documented.keys()].map((path) => router.listMethods(path.replace(/\{\w+\}/g, "some-name")));

  expect(listed).toEqual([...documented.values()]);
});

test("a path that is not percent-encoded is refused, and methods of the private socket are not listed", () => {
  expect(() => router.find("GET", `${API_BASE}/workloads/%zz`)).toThrow(URIError);
  expect(router.listMethods(`${API_BASE}/workloads`)).toEqual(["GET", "POST"]);
  expect(router.listMethods("/supervisor")).toEqual([]);
});
