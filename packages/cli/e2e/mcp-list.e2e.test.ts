import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";

/** The server takes its port from the variable. */
const HTTP = ["--target-port", "3001", "--env", "PORT=3001"];

describeEngines("mcp list on $kind", (engine) => {
  test.each([
    ["stdio offered over streamable HTTP", ["mcp/everything:test"]],
    ["stdio offered over SSE", ["--proxy-mode", "sse", "mcp/everything:test"]],
    ["streamable-http", [...HTTP, "--transport", "streamable-http", "mcp/everything:test", "--", "streamableHttp"]],
    ["sse", [...HTTP, "--transport", "sse", "mcp/everything:test", "--", "sse"]],
  ])("shows what a server has that speaks %s, by name and by address", async (_what, args) => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "it", ...args], { home, engine });
    expect(run).toMatchObject({ code: 0 });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";

    const text = await runThv(["mcp", "list", "--server", "it"], { home, engine });
    const byName = await runThv(["mcp", "list", "--server", "it", "--format", "json"], { home, engine });
    const byUrl = await runThv(["mcp", "list", "--server", url, "--format", "json"], { home, engine });

    expect(text.code, text.stderr).toBe(0);
    expect(text.stdout).toMatch(/^TOOLS:\nNAME.*\n(.*\n)*echo .*\n(.*\n)*RESOURCES:\n(.*\n)*PROMPTS:\n/);
    expect(JSON.parse(byName.stdout)).toEqual(JSON.parse(byUrl.stdout));
    const { tools, resources, prompts } = JSON.parse(byUrl.stdout) as Record<string, { name: string }[]>;
    expect(tools?.map(({ name }) => name)).toContain("echo");
    expect([resources?.length, prompts?.length]).toEqual([expect.any(Number), expect.any(Number)]);
    const sum = await runThv(["mcp", "call", "it", "get-sum", "--arguments", '{"a":2,"b":40}'], { home, engine });
    expect(sum).toMatchObject({ code: 0, stdout: "The sum of 2 and 40 is 42.\n" });
    const one = await runThv(["mcp", "list", "prompts", "--server", "it", "--format", "json"], { home, engine });
    expect(JSON.parse(one.stdout)).toEqual({ prompts });
  });
});
