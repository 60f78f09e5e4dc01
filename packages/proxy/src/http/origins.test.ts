/** Pages of other origins at every kind of endpoint: a server's own page must not call other servers. */
import { describe, expect, test } from "vitest";
import { openGroup, openMember, untilMember } from "../testing/open-group.ts";

const CALL = {
  method: "POST",
  body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"page","version":"1"}}}',
};
const PAGE = "http://localhost:5173";

interface Opened extends AsyncDisposable {
  readonly url: string;
}

/** @param allowedOrigins Of the group, or of the endpoint of the one server. */
async function open(kind: "stdio" | "sse" | "streamable-http" | "group", allowedOrigins: string[]): Promise<Opened> {
  const server = await openMember("one", kind === "group" ? "stdio" : kind, () => "{}", { allowedOrigins });
  const { url } = server.member;
  if (kind !== "group") return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  const group = await openGroup([server], { allowedOrigins });
  await untilMember(group, "one");
  return {
    url: `http://127.0.0.1:${group.port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await group.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function ask(url: string, origin: string): Promise<{ status: number; allowed: string | null; text: string }> {
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json", origin };
  const isSse = new URL(url).pathname === "/sse";
  const answer = await fetch(url, { ...(isSse ? {} : CALL), headers });
  const text = answer.ok ? "" : await answer.text();
  if (answer.ok) await answer.body?.cancel();
  return { status: answer.status, allowed: answer.headers.get("access-control-allow-origin"), text };
}

describe.each(["stdio", "sse", "streamable-http", "group"] as const)("the endpoint of %s", (kind) => {
  test("admits its own page and pages that were named, and no other of this machine", async () => {
    await using opened = await open(kind, [PAGE]);
    const { port } = new URL(opened.url);

    expect(await ask(opened.url, `http://127.0.0.1:${port}`)).toMatchObject({ status: 200 });
    expect(await ask(opened.url, PAGE)).toMatchObject({ status: 200, allowed: PAGE });
    for (const origin of [
      "http://127.0.0.1:1",
      "http://localhost:6274",
      `http://localhost:${port}`,
      `http://[::1]:${port}`,
      "https://127.0.0.1",
      "http://host.docker.internal",
      "null",
      "file://",
    ]) {
      const { status, allowed, text } = await ask(opened.url, origin);
      expect([origin, status, allowed]).toEqual([origin, 403, null]);
      expect(text).toContain(`The Origin \\"${origin}\\" may not call this endpoint`);
    }
  });

  test("lets no preflight of a foreign page through", async () => {
    await using opened = await open(kind, [PAGE]);
    const preflight = async (origin: string) =>
      await fetch(opened.url, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST", "access-control-request-private-network": "true" },
      });

    expect((await preflight(PAGE)).status).toBe(204);
    const refused = await preflight("http://127.0.0.1:1");
    expect(refused.status).toBe(403);
    expect([...refused.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});
