/** Which endpoints the groups of this process may enter without a connection. */
import { expect, test } from "vitest";
import { openPair } from "../testing/open-pair.ts";
import { OpenRelays, type Relay } from "./relay.ts";

test("a relay cannot be entered past its endpoint while a gate holds calls, nor after its end", async () => {
  const relays = new OpenRelays();
  const pair = await openPair({}, { name: "gated", relays });
  const url = new URL(`http://127.0.0.1:${pair.endpoint.port}/mcp`);
  const isOpen = () => relays.find(url) !== undefined;
  const seen = [isOpen()];

  pair.endpoint.guard({ enter: () => undefined });
  seen.push(isOpen());
  pair.endpoint.guard(undefined);
  seen.push(isOpen());
  await pair[Symbol.asyncDispose]();
  seen.push(isOpen());

  expect(seen).toEqual([true, false, true, false]);
});

test("a relay is found by those alone to whom its endpoint was given", async () => {
  const relays = new OpenRelays();
  await using pair = await openPair({}, { relays });
  const url = new URL(`http://127.0.0.1:${pair.endpoint.port}/mcp`);

  expect(relays.find(url)).toBeDefined();
  expect(new OpenRelays().find(url)).toBeUndefined();
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:4000/mcp"],
  ["0.0.0.0", "http://127.0.0.1:4000/mcp"],
  ["::1", "http://[::1]:4000/mcp"],
  ["0:0:0:0:0:0:0:1", "http://[::1]:4000/mcp"],
  ["::", "http://[::1]:4000/mcp"],
])("a relay whose endpoint listens on %s is found at %s", (host, url) => {
  const relay = {} as Relay;
  const relays = new OpenRelays();
  relays.add(host, 4000, relay);

  expect(relays.find(new URL(url))).toBe(relay);

  relays.delete(host, 4000, relay);
  expect(relays.find(new URL(url))).toBeUndefined();
});
