/** The settings of a change are called as in the form. */
import { expect, test } from "vitest";
import { nameChange } from "./change-list.tsx";

test.each([
  ["sleep_after_seconds", { label: "Sleep after" }],
  ["env_vars.UNITS", { label: "Environment variables: UNITS" }],
  ["volumes./data.d", { label: "Folders: /data.d" }],
  ["oidc.issuer", { label: "Issuer" }],
])("%s is called as its field in the form", (member, name) => {
  expect(nameChange(member)).toEqual(name);
});

test.each([
  ["limits.memory_bytes", { code: "memory" }],
  ["oidc.jwks_url", { code: "access.oidc.jwks_url" }],
  ["constructor", { code: "constructor" }],
])("%s, which has no field there, is called as in a project file", (member, name) => {
  expect(nameChange(member)).toEqual(name);
});
