import { expect, test } from "vitest";
import { findRelativeFolder, isRemoteTarget, parseTarget } from "./target.ts";

test.each([
  ["https://mcp.example.com/mcp", { kind: "address", address: "https://mcp.example.com/mcp" }],
  ["HTTP://localhost:1", { kind: "address", address: "HTTP://localhost:1" }],
  ["npx://@acme/weather@1.4.0", { kind: "package", scheme: "npx", name: "@acme/weather@1.4.0" }],
  ["uvx://", { kind: "package", scheme: "uvx", name: "" }],
  ["go:///home/me/server", { kind: "package", scheme: "go", name: "/home/me/server" }],
  ["fetch", { kind: "entry", name: "fetch", version: undefined }],
  ["io.github.owner/server@1.0.0", { kind: "entry", name: "io.github.owner/server", version: "1.0.0" }],
  ["mcp/fetch", { kind: "image", reference: "mcp/fetch" }],
  ["fetch:latest", { kind: "image", reference: "fetch:latest" }],
  [`fetch@sha256:${"0".repeat(64)}`, { kind: "image", reference: `fetch@sha256:${"0".repeat(64)}` }],
  ["ftp://example.com/x", { kind: "image", reference: "ftp://example.com/x" }],
  ["a".repeat(513), { kind: "image", reference: "a".repeat(513) }],
  ["", { kind: "image", reference: "" }],
])("%.40s is told apart", (text, expected) => {
  expect(parseTarget(text)).toEqual(expected);
  expect(isRemoteTarget(text)).toBe(expected.kind === "address");
});

test.each([
  ["go://.", "."],
  ["go://../server", "../server"],
  ["go://./", "./"],
  ["go://.hidden", undefined],
  ["go:///srv/server", undefined],
  ["npx://./server", undefined],
  ["./server", undefined],
])("the relative folder of %s is %s", (text, folder) => {
  expect(findRelativeFolder(text)).toBe(folder);
});
