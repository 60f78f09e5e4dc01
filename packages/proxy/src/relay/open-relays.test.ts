/** Which endpoints other parts of this process may enter without a connection. */
import { expect, test } from "vitest";
import { openPair } from "../testing/open-pair.ts";
import { formatRelayAddress, OPEN_RELAYS } from "./relay.ts";

test("a relay cannot be entered past its endpoint while a gate holds calls, nor after its end", async () => {
  const pair = await openPair({}, { name: "gated" });
  const address = formatRelayAddress("127.0.0.1", pair.endpoint.port);
  const isOpen = () => OPEN_RELAYS.has(address);
  const seen = [isOpen()];

  pair.endpoint.guard({ enter: () => undefined });
  seen.push(isOpen());
  pair.endpoint.guard(undefined);
  seen.push(isOpen());
  await pair[Symbol.asyncDispose]();
  seen.push(isOpen());

  expect(seen).toEqual([true, false, true, false]);
});
