/** How the end of a server is described, from its exit code and its output. */
import { describe, expect, test } from "vitest";
import type { ContainerEngine } from "../../ports/container-engine.ts";
import { describeExit } from "./describe-exit.ts";
import { ServerProcess } from "./server-process.ts";

async function describeEnd(exitCode: number, lines: readonly string[] = [], packageTarget?: string) {
  const engine = {
    findContainer: async () => ({ state: "exited", exitCode }),
    readLogs: async () => lines.map((text) => ({ text })),
  } as unknown as ContainerEngine;
  const server = ServerProcess.createUnattached("c1");
  server.packageTarget = packageTarget;
  return await describeExit(engine, server);
}

describe("the end of a server", () => {
  test("has the line that says what is wrong, and the last ones", async () => {
    const flags = Array.from({ length: 30 }, (_, index) => `  --flag${index} string   text`);

    const { detail } = await describeEnd(1, ["Error: ACME_KEY is missing", ...flags]);

    expect(detail).toBe(
      "It wrote: Error: ACME_KEY is missing / … 27 lines left out … / --flag27 string   text / --flag28 string   text / --flag29 string   text",
    );
  });

  test("that wrote nothing says nothing of it", async () => {
    expect((await describeEnd(0)).detail).toBeUndefined();
  });

  test.each([
    [137, "SIGKILL", "--memory"],
    [139, "SIGSEGV", "crashed"],
    [134, "SIGABRT", "crashed"],
    [143, "SIGTERM", "arguments"],
    [129, "SIGHUP", "arguments"],
  ])("with code %i names %s and what it often means", async (code, signal, hint) => {
    expect(await describeEnd(code)).toMatchObject({
      code: "SERVER_EXITED",
      message: `The server exited with code ${code}: ${signal} ended it.`,
      hint: expect.stringContaining(hint),
    });
  });

  test.each([128, 200, 255, 1])("with code %i names no signal", async (code) => {
    expect((await describeEnd(code)).message).toBe(`The server exited with code ${code}.`);
  });

  test("that is a package manager's is called that", async () => {
    const lines = ["npm error code EAI_AGAIN", "npm error request to https://registry.example/x failed"];

    expect(await describeEnd(1, lines, "npx://mcp-hello-world")).toMatchObject({
      code: "PACKAGE_REGISTRY_UNREACHABLE",
      message: "The package npx://mcp-hello-world could not be fetched: its package registry cannot be reached.",
    });
  });
});
