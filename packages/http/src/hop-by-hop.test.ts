import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { parseHeaderNames, removeHopByHop } from "./hop-by-hop.ts";

test("Connection names other headers", () => {
  expect(parseHeaderNames("Close ,  X-One\t,x-two")).toEqual(new Set(["close", "x-one", "x-two"]));
});

test("headers of one connection are not forwarded, nor those that Connection lists", () => {
  const headers = {
    ...{ connection: "keep-alive, X-Hop", "keep-alive": "timeout=5", "x-hop": "1", te: "trailers", trailer: "x" },
    ...{ upgrade: "h2c", "transfer-encoding": "chunked", "proxy-authorization": "Basic x" },
    ...{ "content-type": "text/plain", "set-cookie": ["a=1", "b=2"], "x-other": "2" },
  };

  expect(removeHopByHop({ headers } as unknown as IncomingMessage)).toEqual({
    "content-type": "text/plain",
    "set-cookie": ["a=1", "b=2"],
    "x-other": "2",
  });
});
