/** The rule by which a group names tools and prompts can be changed while clients have sessions there. */
import { expect, test } from "vitest";
import { CLIENT_ROUTES, openClient, type RouteClient } from "../testing/client-routes.ts";
import { openGroup, openMember, untilMember } from "../testing/open-group.ts";
import { openSession } from "../testing/raw-client.ts";

const offer =
  (server: string, names: readonly string[]) =>
  (method: string, params: Readonly<Record<string, unknown>>): string | undefined => {
    if (method === "tools/list") return JSON.stringify({ tools: names.map((name) => ({ name })) });
    if (method === "prompts/list") return JSON.stringify({ prompts: [{ name: "greet" }] });
    if (method !== "tools/call") return "{}";
    return JSON.stringify({ content: [{ type: "text", text: `${server}/${String(params.name)}` }] });
  };

const members = async () =>
  [
    await openMember("alpha", "stdio", offer("alpha", ["clock", "search"])),
    await openMember("beta", "stdio", offer("beta", ["clock"])),
  ] as const;

async function listNames(client: RouteClient): Promise<string[]> {
  // On one stream with all answers, the news of a change comes first.
  for (;;) {
    const { message } = await client.request("tools/list");
    if (message.method === undefined)
      return (message.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  }
}

test.each(CLIENT_ROUTES)("another naming is in force at once, for the same session, over %s", async (way) => {
  const [one, other] = await members();
  await using alpha = one;
  await using beta = other;
  await using endpoint = await openGroup([alpha, beta], {});
  for (const name of ["alpha", "beta"]) await untilMember(endpoint, name);
  await using client = await openClient(endpoint, way, {});
  expect(await listNames(client)).toEqual(["alpha__clock", "search", "beta__clock"]);
  const before = endpoint.counts.sessions;

  endpoint.chooseNaming("always");
  expect(await listNames(client)).toEqual(["alpha__clock", "alpha__search", "beta__clock"]);
  endpoint.chooseNaming("never");
  expect(await listNames(client)).toEqual(["clock", "search"]);
  endpoint.chooseNaming("auto");
  expect(await listNames(client)).toEqual(["alpha__clock", "search", "beta__clock"]);

  expect(endpoint.counts.sessions).toBe(before);
});

test("a tool is called by its new name, and what is chosen by a name follows the names that clients see", async () => {
  const [one, other] = await members();
  await using alpha = one;
  await using beta = other;
  await using endpoint = await openGroup([alpha, beta], { choice: { tools: [{ name: "clock" }] } });
  for (const name of ["alpha", "beta"]) await untilMember(endpoint, name);
  await using client = await openClient(endpoint, "session", {});
  // Two servers have it, so that no tool is called like that.
  expect(await listNames(client)).toEqual([]);

  endpoint.chooseNaming("never");

  expect(await listNames(client)).toEqual(["clock"]);
  expect((await client.request("tools/call", { name: "clock" })).message).toMatchObject({
    result: { content: [{ text: "alpha/clock" }] },
  });
  expect((await client.request("tools/call", { name: "beta__clock" })).message).toHaveProperty("error");
});

test("clients that listen are notified of the lists whose names have changed", async () => {
  const [one, other] = await members();
  await using alpha = one;
  await using beta = other;
  await using endpoint = await openGroup([alpha, beta], {});
  for (const name of ["alpha", "beta"]) await untilMember(endpoint, name);
  await using stream = await (await openSession(endpoint)).listen();

  // Prompts of both servers are called alike, and are named after their servers before and after.
  endpoint.chooseNaming("always");
  expect(await stream.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
  endpoint.chooseNaming("always");
  endpoint.chooseNaming("never");

  const messages = [await stream.nextMessage(), await stream.nextMessage()] as { method: string }[];
  const methods = messages.map(({ method }) => method);
  expect(methods.sort()).toEqual(["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
});
