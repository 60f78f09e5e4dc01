/** What a project file, or its folder, could hide from the person who allows it. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  answerUp,
  createEchoEntry,
  home,
  names,
  placeFile,
  server,
  startWithProject,
  stopWithProject,
  thv,
  up,
  WITH_SECRET,
  write,
} from "../../testing/project-folder.ts";

beforeEach(startWithProject);
afterEach(stopWithProject);

test("what has changed while a person was reading is not done", async () => {
  thv.served.world.registry.set("echo", createEchoEntry("mcp/echo:1"));
  await write("servers:\n  first: { run: echo }\n");
  const { registry } = thv.served.world;
  const get = registry.get.bind(registry);
  let reads = 0;
  registry.get = (name: string) => {
    reads += 1;
    return get(name);
  };
  await up("--check");
  const first = reads;
  reads = 0;
  // The next comparison is after the answer.
  registry.get = (name: string) => {
    reads += 1;
    return reads > first ? createEchoEntry("mcp/echo:2") : get(name);
  };

  const result = await answerUp("y");

  expect(result.code).toBe(27);
  expect(result.stderr).toContain("changed while you were asked for permission");
  expect(await names()).toEqual([]);
});

describe("what would hide in a file", () => {
  const printApproval = async (text: string) => {
    await write(text);
    const { code, stderr } = await up();
    expect([code, await names()]).toEqual([27, []]);
    return stderr;
  };

  test("is shown behind anchors and merge keys", async () => {
    const text = `servers:
  first: &base { run: "mcp/echo:1", volumes: ["/:/host"], secrets: { A: github-token } }
  second:
    !!merge <<: *base
    run: "mcp/echo:2"
`;
    await write(text);
    const { stderr } = await up();

    // Merge keys are not of this YAML: the file is refused, or both servers are shown.
    expect(stderr.match(/folder: {4}\/ at \/host/g)?.length === 2 || stderr.includes("cannot be used")).toBe(true);
    expect(await names()).toEqual([]);
  });

  test("is shown of a remote server, whose header gets a secret", async () => {
    const stderr = await printApproval(
      'servers: { far: { run: "https://mcp.example.com/mcp", remote_forward_headers_secret: { "X-Key": github-token } } }\n',
    );

    expect(stderr).toContain("address:   https://mcp.example.com");
    expect(stderr).toContain("secret:    github-token as X-Key");
  });

  test("is shown of what leaves the machine: a token file, reports, a file of records, a place to sign in", async () => {
    await writeFile(placeFile("token"), "hunter2");
    const audit = JSON.stringify({ log_file: placeFile("calls.log") });
    await write(`servers:
  first:
    run: mcp/echo:1
    access:
      oidc: { issuer: "https://login.example.com" }
      jwks_auth_token_file: ./token
      audit_config: '${audit}'
      telemetry: { endpoint: "https://collector.example.com", env_vars: [SECRET_OF_MINE] }
  far:
    run: https://mcp.example.com/mcp
    remote_auth: { client_id: a, client_secret: { name: github-token }, token_url: "https://other.example.com/token" }
`);

    const { code, stderr } = await up();

    expect(code).toBe(27);
    for (const line of [
      `file:      what is in ${placeFile("token")} is sent to https://login.example.com`,
      `file:      its calls are recorded in ${placeFile("calls.log")}`,
      "sends:     reports of its calls go to https://collector.example.com, with SECRET_OF_MINE",
      "secret:    github-token as client_secret",
      "sends:     it is signed in at https://other.example.com/token",
    ])
      expect(stderr).toContain(line);
  });

  test("is shown of a permission profile", async () => {
    const stderr = await printApproval(server(', permissions: { write: ["/proc:/s"] }'));

    expect(stderr).toContain("folder:    /proc at /s (write)");
    expect(stderr).toContain("belongs to this machine's kernel");
  });

  test("does not leave the screen behind a thousand arguments", async () => {
    const args = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => `argument-${index}\\n`));
    const stderr = await printApproval(server(`, args: ${args}, secrets: { A: github-token }`));

    expect(stderr).toContain("secret:    github-token as A");
    expect(stderr.split("\n").length).toBeLessThan(20);
    expect(Math.max(...stderr.split("\n").map((line) => line.length))).toBeLessThan(600);
  });

  test("does not turn the line around or clear it", async () => {
    const stderr = await printApproval(server(', args: ["\\u202Edlrow", "\\u001b[2J"]'));

    expect(stderr).toContain("\\u{202e}dlrow");
    for (const text of ["\u202e", "\u001b[2J"]) expect(stderr).not.toContain(text);
  });
});

test.each([["__proto__"], ["constructor"], ["toString"]])(
  "a server named %s is allowed by nothing that was there",
  async (name) => {
    await write(`servers: { ${JSON.stringify(name)}: { run: "mcp/echo:1" } }\n`);

    const { code } = await up();

    expect(code).not.toBe(0);
    expect(await names()).toEqual([]);
  },
);

test("a damaged record allows nothing", async () => {
  await write(WITH_SECRET);
  await up("--yes");
  await thv.call(["down", "--file", placeFile("thv.yaml")]);
  const folder = join(home, "s/toolhive/projects");
  const [file = ""] = await readdir(folder);
  for (const text of ["{", "[]", '{"path":1,"servers":{}}', '{"path":"x","servers":{"first":"image"}}']) {
    await writeFile(join(folder, file), text);
    expect((await up()).code).toBe(27);
  }
});
