/** The document promises no value that the server refuses: values that fit its patterns are given to what checks requests. */
import { listRequestProblems } from "@toolhive/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "../openapi/openapi.ts";
import { CLIENTS_OPERATIONS } from "./clients.ts";
import { DOCUMENTED } from "./parts/documented.ts";

const unit = fc.constantFrom(..."abzAZ019._-/:@=,~ $&;|`'\"\\\n\0ü😀");
const parts = fc.constantFrom(
  ..."a b1 .. . / : // toolhive ToolHive-x a/b example.org/tier proc sys dev ro rw z Z localhost 127.0.0.1 256.1.1.1 01.2.3.4 "
    .split(" ")
    .concat([
      "A=1",
      "=",
      ":/",
      "@sha256:",
      "npx://",
      "/srv/a b",
      "/data",
      "/srv/a:/data",
      ":ro",
      ":rw,Z",
      "x".repeat(62),
      "x".repeat(101),
    ]),
);
const anyText = fc.array(fc.oneof({ weight: 2, arbitrary: fc.string({ unit, maxLength: 4 }) }, parts), {
  maxLength: 6,
});

type Text = {
  readonly documented: { readonly pattern: string; readonly minLength?: number; readonly maxLength?: number };
};

function fits({ documented }: Text, text: string): boolean {
  const { pattern, minLength = 0, maxLength = 512 } = documented;
  return text.length >= minLength && text.length <= maxLength && new RegExp(pattern, "u").test(text);
}

/** How many of the values that fit were tried. */
function tryAll(schema: Text, samples: readonly string[], problems: (text: string) => readonly unknown[]): number {
  let tried = 0;
  const check = (text: string): void => {
    if (!fits(schema, text)) return;
    tried += 1;
    expect([text, problems(text)]).toEqual([text, []]);
  };
  for (const sample of samples) expect([sample, fits(schema, sample)]).toEqual([sample, true]);
  samples.forEach(check);
  fc.assert(
    fc.property(anyText, (words) => check(words.join(""))),
    { numRuns: 5_000 },
  );
  return tried;
}

const describeLabel = (part: "propertyNames" | "additionalProperties"): Text => ({
  documented: DOCUMENTED.labels.documented[part] as { pattern: string },
});

describe("a value that fits the document is not refused for its form", () => {
  test.each<[string, Text, string[], (text: string) => readonly unknown[]]>([
    ["name", DOCUMENTED.workloadName as Text, ["ab", "a.b_c-1"], (name) => listRequestProblems({ name })],
    ["host", DOCUMENTED.host as Text, ["localhost", "0.0.0.0", "192.0.2.255"], (host) => listRequestProblems({ host })],
    ["target_host", DOCUMENTED.loopback as Text, ["127.1.2.3"], (target_host) => listRequestProblems({ target_host })],
    ["env_vars", DOCUMENTED.variable as Text, ["A=", "A=b=c"], (item) => listRequestProblems({ env_vars: [item] })],
    [
      "secrets' name",
      DOCUMENTED.secretName as Text,
      ["github-token"],
      (name) => listRequestProblems({ secrets: [{ name, target: "A" }] }),
    ],
    [
      "secrets' target",
      DOCUMENTED.secretTarget as Text,
      ["GITHUB_TOKEN"],
      (target) => listRequestProblems({ secrets: [{ name: "a", target }] }),
    ],
    [
      "volumes",
      DOCUMENTED.volume as Text,
      ["/srv/maps:/data", "/srv/my maps:/data/x:ro", "/a:/b:rw,z", "/a/.config:/b:Z"],
      (volume) => listRequestProblems({ volumes: [volume] }),
    ],
    [
      "labels' names",
      describeLabel("propertyNames"),
      ["team", "example.org/tier"],
      (key) => listRequestProblems({ labels: { [key]: "" } }),
    ],
    [
      "labels' values",
      describeLabel("additionalProperties"),
      ["", "a.b"],
      (a) => listRequestProblems({ labels: { a } }),
    ],
  ])("%s", (_name, schema, samples, problems) => {
    expect(tryAll(schema, samples, problems)).toBeGreaterThan(samples.length);
  });
});

test("the document has the exact types, and no mark of where they come from", () => {
  const document = openApiDocument("v1.2.3");
  const text = JSON.stringify(document);
  const { paths, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, { parameters: { name: string; schema: object }[] }>>;
    components: { schemas: Record<string, { properties: Record<string, { items?: object }> }> };
  };
  const parameter = (path: string, method: string, name: string) =>
    paths[path]?.[method]?.parameters.find((each) => each.name === name)?.schema;
  const member = (schema: string, name: string) => components.schemas[schema]?.properties[name];

  expect(text).not.toContain('"documented"');
  expect(parameter("/api/v1beta/workloads", "get", "all")).toMatchObject({ type: "boolean" });
  expect(parameter("/api/v1beta/workloads/{name}/logs", "get", "follow")).toMatchObject({ type: "boolean" });
  expect(parameter("/api/v1beta/workloads/{name}/stop", "post", "timeout")).toMatchObject({
    type: "integer",
    maximum: 3600,
  });
  expect(parameter("/api/v1beta/workloads/{name}", "get", "name")).toMatchObject({ minLength: 2 });
  expect(member("BulkRequest", "names")?.items).toMatchObject({ minLength: 2, pattern: expect.any(String) });
  expect(member("SetupSecretsRequest", "provider_type")).toMatchObject({ enum: expect.arrayContaining(["encrypted"]) });
  expect(member("Client", "name")).toMatchObject({ enum: expect.arrayContaining(["vscode", "cursor"]) });
  const image = new RegExp((member("CreateWorkloadRequest", "image") as { pattern: string }).pattern, "u");
  expect(["everything", "mcp/everything:latest", "npx://@a/b@1"].filter((text) => !image.test(text))).toEqual([]);
  expect(["Not An Image", "", "a b", "UPPER"].filter((text) => image.test(text))).toEqual([]);
  expect(member("CreateWorkloadRequest", "transport")).toMatchObject({ enum: ["stdio", "sse", "streamable-http"] });
  expect(CLIENTS_OPERATIONS.registerClient.errors.CLIENT_UNKNOWN).toContain("unsupported client type");
});
