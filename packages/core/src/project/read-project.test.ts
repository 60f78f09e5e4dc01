import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PROJECT_LABEL } from "../workload/labels.ts";
import { buildProjectJsonSchema } from "./project-json-schema.ts";
import { formatProjectLabel, readProject } from "./read-project.ts";

const PATH = "/srv/shop/thv.yaml";

const read = (text: string) => readProject(text, PATH).servers;

function mistakes(text: string): string {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

test("a server's members become its create request, with paths that begin at the file", () => {
  const [server] = read(`
servers:
  weather:
    run: go://./weather
    args: [--verbose]
    env: { UNITS: metric }
    secrets: { API_KEY: weather-key }
    permissions: { read: ["./maps:/maps"], network: { outbound: { allow_host: [api.example.com] } } }
    isolate_network: true
    volumes: ["../cache:/cache", "/etc/hosts:/hosts:ro"]
    memory: 512m
    cpus: 0.5
    sleep_after: 10m
    pull: never
    tools: [forecast]
    pin_tools: off
    groups: [work]
    labels: { team: maps }
`);

  expect(server).toEqual({
    name: "weather",
    run: "go://./weather",
    groups: ["work"],
    request: {
      name: "weather",
      image: "go:///srv/shop/weather",
      cmd_arguments: ["--verbose"],
      env_vars: ["UNITS=metric"],
      secrets: [{ name: "weather-key", target: "API_KEY" }],
      permission_profile: {
        read: ["/srv/shop/maps:/maps"],
        network: { outbound: { allow_host: ["api.example.com"] } },
      },
      network_isolation: true,
      volumes: ["/srv/cache:/cache", "/etc/hosts:/hosts:ro"],
      limits: { memory_bytes: 512 * 1024 * 1024, cpus: 0.5 },
      sleep_after_seconds: 600,
      pull_policy: "never",
      tools: ["forecast"],
      pin_tools: "off",
      labels: { team: "maps", [PROJECT_LABEL]: formatProjectLabel(PATH) },
    },
  });
});

test("a remote server has its headers, and a profile may be a name", () => {
  expect(
    read(`
servers:
  far: { run: "https://mcp.example.com/mcp", remote_forward_headers: { X-Team: maps }, remote_forward_headers_secret: { X-Key: key } }
  near: { run: fetch, permission_profile: none }
`).map(({ request }) => request),
  ).toMatchObject([
    {
      image: "https://mcp.example.com/mcp",
      header_forward: { add_plaintext_headers: { "X-Team": "maps" }, add_headers_from_secret: { "X-Key": "key" } },
    },
    { image: "fetch", permission_profile: { name: "none" } },
  ]);
});

test.each([
  [
    "an unknown member",
    "servers:\n  a1:\n    run: fetch\n    volume: []\n",
    /line 4: servers\.a1 has the unknown member "volume" \(did you mean "volumes"\?\)/,
  ],
  ["an unknown member of the file", "server: {}\nservers: {}\n", /line 1: the file has the unknown member "server"/],
  ["no servers", "{}", /line 1: the file is missing "servers"/],
  ["an empty file", "", /line 1: the file is missing "servers"/],
  [
    "another type",
    "servers:\n  a1: { run: fetch }\n  b1:\n    run: [fetch]\n",
    /line 4: servers\.b1\.run is a list but must be a string/,
  ],
  [
    "a number among the variables",
    "servers:\n  a1:\n    run: fetch\n    env:\n      PORT: 8080\n",
    /line 5: servers\.a1\.env\.PORT is a number but must be a string: put it in quotes/,
  ],
  [
    "a wrong size",
    "servers:\n  a1:\n    run: fetch\n    memory: much\n",
    /line 4: servers\.a1\.memory is "much" but must be a size such as 512m or 2g/,
  ],
  [
    "a wrong port",
    "servers:\n  a1:\n    run: fetch\n    proxy_port: 70000\n",
    /line 4: servers\.a1\.proxy_port is 70000 but must be at most 65535/,
  ],
  ["a wrong name", "servers:\n  'a b':\n    run: fetch\n", /line 2: servers\.a b: workload name can only contain/],
  [
    "a wrong group",
    "servers:\n  a1:\n    run: fetch\n    groups: ['/']\n",
    /line 4: servers\.a1\.groups: "\/": group name/,
  ],
  [
    "a wrong volume",
    "servers:\n  a1:\n    run: fetch\n    volumes: ['./a:b']\n",
    /line 4: servers\.a1\.volumes: mount ".\/a:b" needs an absolute path/,
  ],
  [
    "both kinds of profile",
    "servers:\n  a1:\n    run: fetch\n    permission_profile: none\n    permissions: {}\n",
    /line 5: servers\.a1\.permissions: permission_profile and permissions/,
  ],
  [
    "what is for a container only",
    "servers:\n  a1:\n    run: https://mcp.example.com/mcp\n    read_only: true\n",
    /line 4: servers\.a1: read_only is for a server in a container/,
  ],
  [
    "what the file calls otherwise than a request",
    "servers:\n  a1:\n    run: https://mcp.example.com/mcp\n    args: [a]\n    memory: 1k\n",
    /line 4: servers\.a1: args is for a server in a container, .*; line 5: servers\.a1: memory is for a server/,
  ],
  [
    "a variable with an equals sign",
    "servers:\n  a1:\n    run: fetch\n    env: { 'A=B': c }\n",
    /line 4: servers\.a1\.env: "A=B" is no name of a variable/,
  ],
  [
    "the label of the file",
    `servers:\n  a1:\n    run: fetch\n    labels: { ${PROJECT_LABEL}: x }\n`,
    /line 4: servers\.a1\.labels: the label thv-project is set by thv up/,
  ],
  [
    "a name that is there twice",
    "servers:\n  a1: { run: fetch }\n  a1: { run: fetch }\n",
    /line 3: the same name is there twice/,
  ],
  [
    "what is no YAML",
    "servers: [",
    /cannot be used: line 1: the indentation does not fit the lines above, or a closing bracket is missing\.$/,
  ],
])("says the line and the value of %s", (_what, text, expected) => {
  expect(mistakes(text)).toMatch(expected);
  expect(mistakes(text)).toContain(PATH);
});

test("names all mistakes at once, and never the value of a variable", () => {
  const text = mistakes("servers:\n  a1:\n    run: fetch\n    env: { KEY: [hunter2] }\n    cpus: many\n");

  expect(text).toMatch(/line 4: .*; line 5: /);
  expect(text).not.toContain("hunter2");
});

test("bounds the number of servers", () => {
  const servers = Array.from({ length: 101 }, (_, index) => `  s${index}x: { run: fetch }\n`).join("");

  expect(mistakes(`servers:\n${servers}`)).toContain("line 1: servers names 101 servers but may name at most 100");
});

test("two files never have the same label, and it is one that an engine takes", () => {
  const labels = ["/a/thv.yaml", "/b/a/thv.yaml", "/b/a/other.yaml", "/thv.yaml", `/${"x".repeat(200)}/thv.yaml`].map(
    (path) => formatProjectLabel(path),
  );

  expect(new Set(labels).size).toBe(labels.length);
  for (const label of labels) expect(label).toMatch(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])$/);
});

test("the published schema is the one that validates", () => {
  const published = new URL("../../../../website/static/schemas/project.schema.json", import.meta.url);

  expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(buildProjectJsonSchema());
});
