import { expect, test } from "vitest";
import { createContext, createRemoteContext } from "../testing/servers.ts";
import { buildPart } from "./index.ts";

test.each([
  ["streamable HTTP", undefined, createContext({ transport: "streamable-http", proxyReplicas: 2 })],
  ["HTTP with SSE", "ClientIP", createContext({ transport: "sse", proxyReplicas: 2 })],
  ["HTTP with SSE, of which there is one proxy", undefined, createContext({ transport: "sse" })],
  ["a remote server", "ClientIP", createRemoteContext({ replicas: 2 })],
])("keeps a client of %s at one proxy: %s", (_what, affinity, context) => {
  expect(buildPart("proxyService", context)?.spec.sessionAffinity).toBe(affinity);
});
