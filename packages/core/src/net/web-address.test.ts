import { expect, test } from "vitest";
import { isWebAddress } from "./web-address.ts";

test.each([
  "https://login.example.com/start?x=1#y",
  "http://127.0.0.1:8080/",
  "HTTPS://EXAMPLE.COM",
  "https://müller.example/ü",
  "https://[::1]:1/",
])("%s may be opened", (address) => {
  expect(isWebAddress(address)).toBe(true);
});

test.each([
  "javascript:alert(1)",
  "java\tscript:alert(1)",
  " https://example.com",
  "file:///etc/passwd",
  "data:text/html,x",
  "blob:https://example.com/1",
  "vscode://file/a",
  "https:example.com",
  "https:/example.com",
  "//example.com",
  "https://a@example.com/",
  "https://a:b@example.com/",
  "https://:b@example.com/",
  "https://example.com\\@evil.example/",
  "https://example.com/\u0007",
  "https://example.com/\u0085",
  "https://exa mple.com/",
  "https://",
  "https://example.com:99999/",
  `https://example.com/${"a".repeat(9_000)}`,
  "",
  null,
  7,
  { href: "https://example.com" },
])("%j may not", (address) => {
  expect(isWebAddress(address)).toBe(false);
});
