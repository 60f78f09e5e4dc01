import { expect, test } from "vitest";
import { listFurtherGrants, listGrants, listPlanFacts, PLAN_FACTS } from "./plan-facts.ts";

const PLAN = {
  image: "localhost/weather:1",
  image_from: "build",
  package: "npx://weather",
  registry_source: "team (https://example.com/servers.json)",
  build: "on node:22, with a certificate",
  arguments: ["--units", "metric"],
  transport: "stdio",
  url: "http://127.0.0.1:0/mcp",
  port_chosen: false,
  variables: ["UNITS", "PLACE"],
  secrets: ["weather-key,target=API_KEY"],
  labels: { team: "maps" },
  mounts: [{ source: "/home/ada/data", target: "/data", read_only: true }],
  user: { description: "1000, you", groups: ["27"] },
  network: { reach: "Only api.example.com, on port 443." },
  limits: { memory_bytes: 1024 * 1024, cpus: 0, pids: 5 },
  files: ["writes /home/ada/audit.log"],
  receivers: ["telemetry goes to collector.example.com"],
  switched_off: ["it runs as root"],
  read_only: true,
  tokens_from: "https://issuer.example.com",
} as const;

test("a plan with everything has each fact but those of the other places, in their order", () => {
  const facts = listPlanFacts(PLAN);
  expect(facts.map(({ kind }) => kind)).toEqual(PLAN_FACTS.filter((kind) => kind !== "image" && kind !== "address"));
  expect(Object.fromEntries(facts.map(({ kind, values }) => [kind, values.join(" | ")]))).toMatchObject({
    package: "npx://weather on node:22, with a certificate",
    url: "http://127.0.0.1:PORT/mcp",
    secret: "weather-key as API_KEY",
    user: "1000, you, with your groups 27",
    limits: "1 MiB of memory | any CPUs | 5 processes",
    file: "writes /home/ada/audit.log",
    sends: "telemetry goes to collector.example.com",
    token: "callers need one from https://issuer.example.com",
  });
});

test("a server elsewhere has no facts of a container, and one without folders says so", () => {
  const remote = listPlanFacts({ ...PLAN, image: "https://example.com/mcp", image_from: "remote", package: undefined });
  for (const kind of ["network", "user", "folder", "limits"])
    expect(remote.some((fact) => fact.kind === kind)).toBe(false);
  expect(remote[0]).toEqual({ kind: "address", values: ["https://example.com/mcp on node:22, with a certificate"] });
  expect(listPlanFacts({ ...PLAN, mounts: [] })).toContainEqual({ kind: "folder", values: [] });
});

test("a person is asked about the same facts, a line each, without the groups of the user", () => {
  const asked = listGrants({ ...PLAN, secrets: ["one,target=A", "two,target=B"] });
  expect(asked.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    "package: npx://weather on node:22, with a certificate",
    "registry: the entry of the source team (https://example.com/servers.json)",
    "arguments: --units metric",
    "variables: UNITS, PLACE",
    "secret: one as A",
    "secret: two as B",
    "folder: /home/ada/data at /data (read)",
    "file: writes /home/ada/audit.log",
    "sends: telemetry goes to collector.example.com",
    "network: Only api.example.com, on port 443.",
    "user: 1000, you",
    "off: it runs as root",
  ]);
  expect(listFurtherGrants({ ...PLAN, mounts: [] }).map(({ kind }) => kind)).toEqual(["secret", "file", "off"]);
});
