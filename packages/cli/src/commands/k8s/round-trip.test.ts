/** A workload as a manifest and back: what both can say survives, and what one cannot is named. */
import type { CreateRequest } from "@toolhive/core";
import { createManifest, parseManifest, printManifest, readManifest } from "@toolhive/operator/manifest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const BASE: CreateRequest = { name: "everything", image: "mcp/everything:latest", transport: "stdio", read_only: true };

const carry = (request: CreateRequest) =>
  readManifest(parseManifest(printManifest(createManifest(request)), "it"), "it").request;

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/);
/** Without the characters that YAML has no form for; `$` often, because a cluster expands references. */
const text = fc.string({
  unit: fc.constantFrom("$", "(", ")", "A", "b", " ", ":", "#", "'", '"', "\n", "ü", "-", "1"),
});
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 4 });
const profile = fc.constantFrom<Partial<CreateRequest>>(
  { permission_profile: { name: "none" } },
  { permission_profile: { name: "network" } },
  {
    permission_profile: {
      network: { outbound: { insecure_allow_all: false, allow_host: [".example.com"], allow_port: [443] } },
    },
    network_isolation: true,
  },
);

const request: fc.Arbitrary<CreateRequest> = fc
  .tuple(
    fc.record({ name: word, image: fc.constant("mcp/everything:latest") }),
    fc.record(
      {
        target_port: fc.integer({ min: 1, max: 65_535 }),
        cmd_arguments: list(text),
        labels: fc.dictionary(
          word.filter((name) => !name.startsWith("toolhive")),
          word,
          { minKeys: 1, maxKeys: 3 },
        ),
        user: fc.constantFrom("0", "1000", "1000:2000"),
        read_only: fc.constant(true),
        sleep_after_seconds: fc.constantFrom(60, 600, 86_400),
        limits: fc.constantFrom({ memory_bytes: 536_870_912 }, { cpus: 0.5 }, { memory_bytes: 1e9, cpus: 1.001 }),
        tools: list(word),
        tools_override: fc.dictionary(word, fc.record({ name: word, description: text }, { requiredKeys: ["name"] }), {
          minKeys: 1,
          maxKeys: 3,
          noNullPrototype: true,
        }),
        pull_policy: fc.constantFrom("never", "missing", "always"),
        oidc: fc.constantFrom(
          { issuer: "https://login.example.com" },
          { issuer: "https://login.example.com", audience: "tools", jwks_url: "https://login.example.com/keys" },
        ),
        audit_config: fc.constant("{}"),
        telemetry: fc.constantFrom(
          { endpoint: "https://collector.example.com:4318", service_name: "tools", sampling_rate: 0.25 },
          { prometheus_path: true },
        ),
      },
      { requiredKeys: [] },
    ),
    fc.constantFrom<Partial<CreateRequest>>(
      { transport: "stdio", proxy_mode: "sse" },
      { transport: "sse" },
      { transport: "streamable-http" },
    ),
    fc.uniqueArray(fc.tuple(word, text), { maxLength: 4, selector: ([name]) => name }),
    fc.uniqueArray(fc.tuple(word, word), { maxLength: 4, selector: ([, target]) => target }),
    fc.option(profile, { nil: {} }),
    fc.option(list(text.filter((policy) => policy.length > 0)), { nil: undefined }),
  )
  .map(([base, more, transport, variables, secrets, permissions, policies]) => ({
    ...base,
    ...more,
    ...transport,
    ...permissions,
    ...(variables.length > 0 && { env_vars: variables.map(([name, value]) => `${name}=${value}`) }),
    ...(secrets.length > 0 && { secrets: secrets.map(([name, target]) => ({ name, target })) }),
    ...(policies && {
      authz_config: JSON.stringify({ version: "1.0", type: "cedarv1", cedar: { policies, entities_json: "[]" } }),
    }),
  }));

test("what a run configuration and an MCPServer can both say comes back as it was", () => {
  fc.assert(
    fc.property(request, (given) => {
      expect(carry(given)).toEqual(given);
    }),
  );
});

describe("a manifest", () => {
  test("keeps secrets out, and says how to create the Secret that it names", () => {
    const secrets = [{ name: "github token", target: "TOKEN" }];
    const manifest = createManifest({ ...BASE, secrets });

    expect(manifest.objects[0]?.spec.secrets).toEqual([
      { name: "everything-secrets", key: "github-token", targetEnvName: "TOKEN" },
    ]);
    expect(printManifest(manifest)).toContain(
      `#   kubectl create secret generic everything-secrets --from-file=github-token=<(printf %s "$(thv secret get 'github token')")\n`,
    );
  });

  test.each<[string, Partial<CreateRequest>, string]>([
    ["another name", { name: "Every_Thing" }, "The name is every-thing"],
    ["folders", { volumes: ["/srv:/data"] }, "Folders of this machine"],
    ["host names", { allowed_hosts: ["a.example.com"] }, "host names of the proxy"],
    ["a limit of processes", { limits: { pids: 10 } }, "limit of processes"],
    ["a required origin", { image_verification: "enabled" }, "origin is not verified"],
    ["settings of the audit log", { audit_config: '{"required":true}' }, "Left out: required"],
    [
      "rules that nobody enforces here",
      { permission_profile: { network: { outbound: { allow_host: ["a.example.com"] } } } },
      "will be on a cluster",
    ],
    ["opaque tokens", { oidc: { issuer: "https://a.example.com", allow_opaque_tokens: true } }, "no JWTs"],
  ])("names %s", (_what, more, note) => {
    expect(createManifest({ ...BASE, ...more }).notes.join(" ")).toContain(note);
  });

  test.each<[string, Partial<CreateRequest>]>([
    ["a package", { image: "npx://@acme/weather@1.4.0" }],
    ["tokens of an unknown issuer", { oidc: { jwks_url: "https://a.example.com/keys" } }],
    ["the inspector", { transport: "inspector" }],
  ])("is refused for %s", (_what, more) => {
    expect(() => createManifest({ ...BASE, ...more })).toThrow(expect.objectContaining({ code: "NOT_SUPPORTED" }));
  });
});

describe("reading a manifest", () => {
  const write = (spec: string) =>
    `apiVersion: toolhive.stacklok.dev/v1alpha1\nkind: MCPServer\nmetadata: {name: it}\nspec: ${spec}\n`;
  const read = (yaml: string) => readManifest(parseManifest(yaml, "it.yaml"), "it.yaml");

  test.each([
    ["no YAML", "a: [", "it is not YAML"],
    ["no MCPServer", "kind: Pod", "has no MCPServer"],
    ["two of them", `${write("{image: a}")}---\n${write("{image: b}")}`, "has 2 of MCPServer"],
    ["an unknown member", write("{image: a, egress: none}"), "egress"],
    ["a wrong value", write("{image: a, transport: carrier-pigeon}"), "transport"],
    ["aliases", "a: &x [1]\nb: *x", "it has aliases"],
    [
      "a missing ConfigMap",
      write("{image: a, permissionProfile: {type: configmap, name: p, key: k}}"),
      "lacks the ConfigMap p",
    ],
  ])("refuses %s, and names it", (_what, yaml, message) => {
    expect(() => read(yaml)).toThrow(message);
  });

  test.each([
    [
      "tools that a missing MCPToolConfig names",
      "{image: a, toolConfigRef: {name: few}}",
      "lacks the MCPToolConfig few",
    ],
    ["callers of the cluster only", "{image: a, oidcConfig: {type: kubernetes}}", "service accounts only"],
  ])("refuses a server with %s, which would be open to more here", (_what, spec, message) => {
    expect(() => read(write(spec))).toThrow(message);
  });

  test("refuses an MCPToolConfig with a member that is not known", () => {
    const config = "apiVersion: toolhive.stacklok.dev/v1alpha1\nkind: MCPToolConfig\nmetadata: {name: few}\n";
    const file = `${write("{image: a, toolConfigRef: {name: few}}")}---\n${config}spec: {toolsHidden: [a]}\n`;

    expect(() => read(file)).toThrow("toolsHidden");
  });

  test("reads other names of the original's operator, names those to write, and what it leaves out", () => {
    const registry = "apiVersion: toolhive.stacklok.dev/v1alpha1\nkind: MCPRegistry\nmetadata: {name: ours}\n";
    const spec =
      "{image: a, transport: sse, proxyPort: 9090, mcpPort: 3000, groupRef: work, sessionAffinity: ClientIP}";
    const { request, notes } = read(`${write(spec)}---\n${registry}`);

    expect(request).toMatchObject({ target_port: 3000 });
    expect(notes.join("\n")).toMatch(/proxyPort.*write spec\.port\.[\s\S]*mcpPort.*write spec\.targetPort\./);
    expect(notes.join("\n")).toMatch(/the MCPRegistry ours[\s\S]*the group work/);
  });

  test.each([
    ["spec.externalAuthConfigRef", "{image: a, externalAuthConfigRef: {name: b}}", "with spec.secrets"],
    [
      "spec.oidcConfig.inline.clientSecretRef",
      "{image: a, oidcConfig: {type: inline, inline: {issuer: 'https://a.example', clientSecretRef: {name: b, key: c}}}}",
      "name an issuer of JWTs",
    ],
    ["spec.trustProxyHeaders", "{image: a, trustProxyHeaders: true}", "are not trusted"],
  ])("refuses %s of the original's operator, and says what to write", (member, spec, instead) => {
    expect(() => read(write(spec))).toThrow(`${member} is not a member of this operator`);
    expect(() => read(write(spec))).toThrow(instead);
  });

  test.each([
    [
      "an unknown member within another",
      "{image: a, oidcConfig: {type: inline, inline: {issuer: b, onlyFor: c}}}",
      "onlyFor",
    ],
    ["a group of two forms at once", "{image: a, groupRef: {name: a, other: b}}", "groupRef"],
    ["a group that is a list", "{image: a, groupRef: [a]}", "groupRef"],
  ])("refuses %s", (_what, spec, message) => {
    expect(() => read(write(spec))).toThrow(message);
  });

  test("refuses the original's second version with the one to write", () => {
    expect(() => read(write("{image: a}").replace("v1alpha1", "v1beta1"))).toThrow(
      "apiVersion is toolhive.stacklok.dev/v1beta1, and this operator has toolhive.stacklok.dev/v1alpha1: write that",
    );
  });

  test("names the group, which thv group add is for", () => {
    const { notes, request } = read(write("{image: a, groupRef: {name: work}}"));

    expect(notes).toEqual([expect.stringContaining("the group work")]);
    expect(request).not.toHaveProperty("group");
  });

  test("names what is for a cluster, and not what the API server filled in", () => {
    const { notes } = read(
      write("{image: a, replicas: 1, serviceAccount: b, podTemplateSpec: {spec: {nodeSelector: {a: b}}}}"),
    );

    expect(notes).toEqual([
      "Left out, because they are for a cluster: serviceAccount.",
      "Left out of podTemplateSpec: nodeSelector.",
    ]);
  });
});
