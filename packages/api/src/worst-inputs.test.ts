/** What the worst requests cost the API, against plain ones of the same size. */
import {
  compareGrowth,
  nestTo,
  numberedTo,
  plainText,
  repeatTo,
  WORST_JSON,
  type WorstText,
} from "@toolhive/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServedWorld } from "./testing/served-world.ts";

/** Of each body; the API's bound is 1 MiB. */
const BYTES = Number(process.env.COSTS_BYTES ?? 128 * 1024);
const MAX_PROCESSOR_RATIO = 30;
const MAX_GROWTH = 3;
const MAX_MEMORY_RATIO = 4;

let served: ServedWorld;
beforeAll(async () => {
  served = await ServedWorld.start();
});
afterAll(() => served[Symbol.asyncDispose]());

const create = (more: string) => `{"image":"","name":"a",${more}}`;
const list = (bytes: number, item: string) => `[${repeatTo(bytes, `${item},`)}${item}]`;
const numbered = (bytes: number, item: (index: string) => string) => `[${numberedTo(bytes, item)}]`;
const within = (name: string, wrap: (text: string) => string): WorstText[] =>
  WORST_JSON.map(([input, make]) => [`${name} with ${input}`, (bytes) => create(wrap(make(bytes)))]);

const BODIES: readonly WorstText[] = [
  ...WORST_JSON,
  ...within("labels", (text) => `"labels":${text}`),
  ...within("a predicate", (text) => `"provenance":{"attestation":{"predicate":${text}}}`),
  ["names that are nearly right", (bytes) => create(numberedTo(bytes, (index) => `"imag${Number(index)}":1`))],
  [
    "names of 64 characters",
    (bytes) => create(numberedTo(bytes, (index) => `"${"permission_profile_".repeat(3)}${index}":1`)),
  ],
  ["the name in all cases", (bytes) => create(repeatTo(bytes, '"IMAGE":"","iMage":"",').slice(0, -1))],
  ["variables", (bytes) => create(`"env_vars":${numbered(bytes, (index) => `"A${index}=1"`)}`)],
  ["variables that are none", (bytes) => create(`"env_vars":${list(bytes, '""')}`)],
  ["one variable many times", (bytes) => create(`"env_vars":${list(bytes, '"A=1"')}`)],
  ["secrets", (bytes) => create(`"secrets":${numbered(bytes, (index) => `{"name":"a","target":"A${index}"}`)}`)],
  ["secrets that are none", (bytes) => create(`"secrets":${list(bytes, "{}")}`)],
  ["volumes", (bytes) => create(`"volumes":${numbered(bytes, (index) => `"/a:/${index}"`)}`)],
  ["volumes that are none", (bytes) => create(`"volumes":${list(bytes, '":"')}`)],
  ["arguments", (bytes) => create(`"cmd_arguments":${list(bytes, '""')}`)],
  ["ports", (bytes) => create(`"permission_profile":{"network":{"outbound":{"allow_port":${list(bytes, "1")}}}}`)],
  ["hosts", (bytes) => create(`"allowed_hosts":${list(bytes, '"a"')}`)],
  ["one long host", (bytes) => create(`"allowed_hosts":["${repeatTo(bytes, "a.")}"]`)],
  ["a long image", (bytes) => `{"image":"${repeatTo(bytes, "a/")}"}`],
  ["a long package", (bytes) => `{"image":"npx://${repeatTo(bytes, "@")}"}`],
  ["a long name", (bytes) => `{"image":"a","name":"${repeatTo(bytes, "a-")}"}`],
  ["a long volume", (bytes) => create(`"volumes":["${repeatTo(bytes, ":")}"]`)],
  ["a long variable", (bytes) => create(`"env_vars":["${repeatTo(bytes, "=")}"]`)],
  ["a long policy", (bytes) => create(`"authz_config":"{${nestTo(bytes, "[", "1", "]")}"`)],
  ["a long address", (bytes) => create(`"otel_endpoint":"${repeatTo(bytes, "/")}"`)],
  ["a long issuer", (bytes) => create(`"oidc_config":{"issuer":"https://${repeatTo(bytes, "%")}"}`)],
];

const plain = (bytes: number) => create(`"cmd_arguments":["${plainText(bytes)}"]`);

test.each(BODIES)("a request to create a workload with %s", async (input, worst) => {
  const ratios = await compareGrowth({
    entrance: "API, create",
    input,
    bytes: BYTES,
    plain,
    worst,
    read: (body) => served.send("POST", "/api/v1beta/workloads", { body: String(body) }),
    limits: { processor: MAX_PROCESSOR_RATIO, memory: MAX_MEMORY_RATIO },
  });

  expect.soft(ratios.processor).toBeLessThan(MAX_PROCESSOR_RATIO);
  expect.soft(ratios.growth).toBeLessThan(MAX_GROWTH);
  expect.soft(ratios.memory).toBeLessThan(MAX_MEMORY_RATIO);
});

test("an answer to the worst request repeats little of it", async () => {
  for (const [input, make] of BODIES) {
    const { status, body } = await served.send("POST", "/api/v1beta/workloads", { body: make(BYTES) });

    expect(status, input).toBeGreaterThanOrEqual(400);
    expect(body.length, input).toBeLessThan(64 * 1024);
  }
  expect(served.bugs).toEqual([]);
});

describe("a request", () => {
  const HEADERS: readonly WorstText[] = [
    ["accept", (bytes) => repeatTo(bytes, ",")],
    ["accept-encoding", (bytes) => repeatTo(bytes, "a;q=1,")],
    ["authorization", (bytes) => `Bearer${" ".repeat(bytes)}x`],
    ["content-type", (bytes) => `application/json${";".repeat(bytes)}`],
    ["host", (bytes) => repeatTo(bytes, "a.")],
    ["host", (bytes) => repeatTo(bytes, ":")],
    ["origin", (bytes) => `http://${repeatTo(bytes, "a.")}`],
    ["cookie", (bytes) => repeatTo(bytes, "a=")],
  ];
  const MANY = 20;

  test.each(HEADERS)("with a long header %s", async (name, make) => {
    const ratios = await compareGrowth({
      entrance: "API, header",
      input: name,
      bytes: 14 * 1024,
      limits: { processor: 20 },
      plain: (bytes) => plainText(bytes),
      worst: make,
      read: async (text) => {
        for (let time = 0; time < MANY; time++) {
          await served.send("GET", "/api/v1beta/version", { headers: { [name]: String(text).trim() } });
        }
      },
    });

    expect.soft(ratios.processor).toBeLessThan(20);
    expect.soft(ratios.growth).toBeLessThan(MAX_GROWTH);
  });

  const PATHS: readonly WorstText[] = [
    ["slashes", (bytes) => repeatTo(bytes, "/")],
    ["dots", (bytes) => repeatTo(bytes, "../")],
    ["escapes", (bytes) => `/api/v1beta/workloads/${repeatTo(bytes, "%61")}`],
    ["broken escapes", (bytes) => `/api/v1beta/workloads/${repeatTo(bytes, "%")}`],
    ["a query", (bytes) => `/api/v1beta/workloads?${repeatTo(bytes, "a&")}`],
    ["a query of one member", (bytes) => `/api/v1beta/workloads?${repeatTo(bytes, "all=true&")}`],
    ["a query of members in each other", (bytes) => `/api/v1beta/workloads?a${repeatTo(bytes, "[a]")}=1`],
    ["labels", (bytes) => `/api/v1beta/workloads?${repeatTo(bytes, "label=a=b&")}`],
  ];

  test.each(PATHS)("for a path with %s", async (input, make) => {
    const ratios = await compareGrowth({
      entrance: "API, path",
      input,
      bytes: 14 * 1024,
      limits: { processor: 20 },
      plain: (bytes) => `/${repeatTo(bytes, "a")}`,
      worst: make,
      read: async (path) => {
        for (let time = 0; time < MANY; time++) await served.send("GET", String(path));
      },
    });

    expect.soft(ratios.processor).toBeLessThan(20);
    expect.soft(ratios.growth).toBeLessThan(MAX_GROWTH);
  });
});
