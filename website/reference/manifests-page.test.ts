import { expect, test } from "vitest";
import { manifestsPage, writeAdvice } from "./manifests-page.ts";

test.each([
  ["write the issuer into spec.oidcConfig", "Write the issuer into `spec.oidcConfig`"],
  [
    "spec.replicas are the pods here, and spec.proxyReplicas those of the proxy",
    "`spec.replicas` are the pods here, and `spec.proxyReplicas` those of the proxy",
  ],
  ["use spec.telemetry.endpoint, with https://", "Use `spec.telemetry.endpoint`, with https://"],
])("the advice %j shows its fields as code, as they are written", (advice, page) => {
  expect(writeAdvice(advice)).toBe(page);
});

test("the page has no field outside of code", () => {
  expect(manifestsPage().content.replaceAll(/`[^`]*`/g, "")).not.toMatch(/\bspec\./i);
});
