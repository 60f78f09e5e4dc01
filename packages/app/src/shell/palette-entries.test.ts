import { describe, expect, test } from "vitest";
import type { Workload } from "../store/live-store.ts";
import { findEntries, listDocs, listEntries } from "./palette-entries.ts";

const workload = (name: string, status: Workload["status"]) =>
  ({ name, status, package: "mcp/echo", url: "http://127.0.0.1:1/mcp" }) as Workload;

const titles = (text: string, workloads: readonly Workload[] = []) =>
  findEntries(listEntries(workloads), text).map(({ title }) => title);

describe("the command palette", () => {
  test("offers of a server what can be done with it now", () => {
    expect(titles("github", [workload("github", "running")])).toEqual([
      "github",
      "tools github",
      "logs github",
      "stop github",
      "restart github",
    ]);
    expect(titles("github", [workload("github", "stopped")])).toContain("start github");
  });

  test("finds by every word, in any order, what begins with the text first", () => {
    const servers = [workload("logs-of-weather", "running"), workload("weather", "running")];
    expect(titles("weather logs", servers)).toContain("logs weather");
    expect(titles("logs weather", servers)[0]).toBe("logs weather");
    expect(titles("nothing like it", servers)).toEqual([]);
  });

  test("knows the places, by any part of their names", () => {
    expect(titles("secr")).toEqual(["Secrets"]);
  });

  test("leads to the documentation's search, and for an error code to its page", () => {
    expect(listDocs(" ")).toEqual([]);
    expect(listDocs("how to & why")).toMatchObject([{ docs: "/search?q=how%20to%20%26%20why" }]);
    expect(listDocs("port_in_use").map(({ docs }) => docs)).toEqual([
      "reference/errors/port-in-use",
      "/search?q=port_in_use",
    ]);
  });
});
