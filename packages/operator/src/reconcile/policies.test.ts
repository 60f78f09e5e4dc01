import { expect, test } from "vitest";
import { createServer } from "../testing/servers.ts";
import { findPolicyProblem } from "./policies.ts";

const PERMIT = "permit(principal, action, resource);";
const inline = (...policies: string[]) => createServer({ authzConfig: { type: "inline", inline: { policies } } });
const named = createServer({ authzConfig: { type: "configMap", configMap: { name: "own" } } });
const createDocument = (policy: string) => ({
  data: { "authz.json": JSON.stringify({ version: "1.0", type: "cedarv1", cedar: { policies: [policy] } }) },
});

test.each([
  ["none", createServer(), undefined],
  ["right ones in the resource", inline(PERMIT), undefined],
  ["right ones in a ConfigMap", named, createDocument(PERMIT)],
  // Said as missing already.
  ["a ConfigMap that is not there", named, undefined],
])("%s have no problem", async (_what, server, configMap) => {
  expect(await findPolicyProblem(server, configMap)).toBeUndefined();
});

test("a wrong one in the resource is named by its position", async () => {
  expect(await findPolicyProblem(inline(PERMIT, "permit(principal"), undefined)).toMatchObject({
    reason: "PoliciesInvalid",
    about: "policies",
    message: expect.stringMatching(/spec\.authzConfig\.inline cannot be used: .*cedar\.policies\[1\]/),
  });
});

test.each([
  ["a wrong policy", createDocument("permit(principal").data["authz.json"], "cedar.policies[0]"],
  ["another form", '{"version":"1.0"}', "cannot be used"],
  ["what is not JSON", "{", "not JSON"],
  // It must never be read as a file of the operator's pod.
  ["a path", "/var/run/secrets/kubernetes.io/serviceaccount/token", "not a JSON object"],
])("a ConfigMap with %s is named", async (_what, text, words) => {
  const problem = await findPolicyProblem(named, { data: { "authz.json": text } });

  expect(problem).toMatchObject({ reason: "ConfigMapInvalid", message: expect.stringContaining('"own"') });
  expect(problem?.message).toContain(words);
});

test("one tenant's deep policies change nothing for another one", async () => {
  const deep = `permit(principal, action, resource) when { ${"(".repeat(1_000)}true${")".repeat(1_000)} };`;
  for (const hostile of [inline(deep), inline(PERMIT, deep)]) {
    const problem = await findPolicyProblem(hostile, undefined);
    expect(problem?.message).toMatch(/cedar\.policies\[\d\] is nested 10\d\d levels deep, and may be 32/);

    expect(await findPolicyProblem(inline(PERMIT), undefined)).toBeUndefined();
    expect(await findPolicyProblem(named, createDocument(PERMIT))).toBeUndefined();
  }
});
