/** The examples of help, manual and reference are run here, each on a machine that has what it needs. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { encodeTestPack } from "@toolhive/docs/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseInvocation } from "../src/command-line/parse.ts";
import { COMMAND_GROUPS, COMMANDS, isShown } from "../src/commands.ts";
import { ServedThv } from "../src/testing/served-thv.ts";
import { TOPIC_NAMES } from "../src/topics/topic-names.ts";

const TREE = { commands: COMMANDS, groups: COMMAND_GROUPS, topics: TOPIC_NAMES };

/** Why an example is read by the parser here and run elsewhere or not at all, by its beginning. */
const NOT_RUN: readonly (readonly [begin: string, reason: string])[] = [
  ["thv run", "run.test.ts and the e2e tests run servers in every way"],
  ["thv export", "export.test.ts runs what it writes"],
  ["thv edit everything ", "opens an editor: edit-text.test.ts"],
  ["thv edit everything --image", "needs another image: edit.test.ts"],
  ["thv edit everything --undo", "needs a change: edit.test.ts"],
  ["thv serve", "stays in the foreground: serve.e2e.test.ts"],
  ["thv proxy", "stays in the foreground: proxy.test.ts"],
  ["thv inspector", "fetches a package: inspector.test.ts has a stand-in"],
  ["thv docs mcp", "waits for a client: docs-mcp.test.ts"],
  ["thv registry info io.github", "needs a registry with that server: registry.test.ts has one"],
  ["thv docs faq >", "the shell writes the file: docs.test.ts has the text"],
  ["thv doctor", "looks at the real machine: doctor.test.ts has another one"],
  ["thv k8s import", "needs a manifest, or a cluster: json-samples.test.ts and kubernetes.e2e.test.ts"],
  ["thv logs everything --follow", "stays in the foreground: main.test.ts"],
  ["thv logs everything", "main.test.ts"],
  ["thv auth", "needs a remote server, and somebody who signs in: auth.test.ts"],
  ["thv tools", "needs a server that speaks: tools.test.ts"],
  ["thv mcp", "needs a server that speaks: list.test.ts and mcp-list.e2e.test.ts"],
  ["thv registry info io.github.owner/", "needs a registry with older versions: registry.test.ts"],
  ["thv config set-registry-url https:", "is on the web: registry.test.ts has servers of its own"],
  ["thv registry source add acme https:", "is on the web: several-sources.test.ts has servers of its own"],
  ["thv registry run-group", "needs a registry with groups: run-group.test.ts"],
  ["thv registry source remove", "needs a source: registry.test.ts"],
  ["thv secret get", "the supervisor's private socket answers: secrets.e2e.test.ts"],
  ["thv secret change-password", "the supervisor's private socket answers: secrets.e2e.test.ts"],
  ["thv secret reset-keyring", "the supervisor's private socket answers: secrets.e2e.test.ts"],
  ["thv secret provider 1password", "needs an account: onepassword-secrets.test.ts"],
  ["thv secret setup", "asks questions: secrets.e2e.test.ts"],
  ["thv secret set github-token", "asks a question, or reads a pipe: secrets.e2e.test.ts"],
  ["thv service install", "changes what starts with a session: service.e2e.test.ts"],
  ["thv client setup", "asks a question: clients.e2e.test.ts"],
  ["thv client undo", "dry-run.test.ts"],
  ["thv permission learn", "needs a server that learns: permission.test.ts and egress.e2e.test.ts"],
  ["thv permission allow", "needs an isolated server: permission.test.ts and egress.e2e.test.ts"],
  ["thv push", "needs an image registry: shared.test.ts and shared-projects.e2e.test.ts"],
  ["thv pull", "needs an image registry: shared.test.ts and shared-projects.e2e.test.ts"],
  ["thv up ", "needs a project file: project.test.ts"],
  ["thv import", "needs a client's file: project.test.ts"],
  ["thv restart everything --pull", "needs an image registry: manage-mcp-servers.mdx and the pull tests"],
];

/** The calls of thv in a line for a shell: `gh auth token | thv secret set x`, `source <(thv completion bash)`. */
function callsIn(line: string): string[][] {
  return [...line.matchAll(/\bthv ([^|()<>]*)/g)].map(([, words = ""]) =>
    [...words.trim().matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      ([, double, single, bare]) => double ?? single ?? bare ?? "",
    ),
  );
}

const examples = COMMANDS.filter(isShown).flatMap(({ path, examples: all }) =>
  all.map(({ command }) => ({ line: command, path: path.join(" ") })),
);

describe("examples", () => {
  test("are there for every command", () => {
    for (const { path, examples: all } of COMMANDS.filter(isShown))
      expect(all.length, path.join(" ")).toBeGreaterThan(0);
  });

  test.each(examples)("$line is understood", ({ line, path }) => {
    const calls = callsIn(line).map((words) => parseInvocation(words, TREE));

    expect(calls.length).toBeGreaterThan(0);
    expect(calls.map((call) => (call.kind === "run" ? call.command.path.join(" ") : call.kind))).toContain(path);
  });

  const runnable = examples.filter(({ line }) => !NOT_RUN.some(([begin]) => `${line} `.includes(begin)));

  test.each(runnable)("$line does it", async ({ line }) => {
    await using context = await ServedThv.start();
    const work = join(context.home, "work");
    await mkdir(work);
    await prepare(context, work);
    if (!line.startsWith("thv group create")) await context.call(["group", "create", "work"]);
    const before = process.cwd();
    process.chdir(work);
    try {
      for (const words of callsIn(line)) {
        const { code, stderr } = await context.call(words, { env: { TOOLHIVE_SECRETS_PASSWORD: "correct horse" } });
        expect([code, stderr]).toEqual([0, expect.not.stringContaining("Error:")]);
      }
    } finally {
      process.chdir(before);
    }
  });

  test("that are left out are real examples", () => {
    for (const [begin] of NOT_RUN) {
      expect(
        examples.some(({ line }) => `${line} `.includes(begin)),
        begin,
      ).toBe(true);
    }
  });
});

/** A certificate, a registry in a file, a server's description, a password: what no command changes, made once. */
let files: string;
beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), "examples-"));
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=Corporate CA", "-keyout", join(files, "key.pem"), "-out", join(files, "corporate-ca.pem")],
  ]);
  await writeFile(join(files, "docs.pack"), await encodeTestPack());
  await writeFile(join(files, "value"), "v");
  await writeFile(join(files, "pw"), "correct horse\n");
  const npm = { registryType: "npm", identifier: "@scope/server", version: "1.2.3", transport: { type: "stdio" } };
  const server = { name: "com.example/server", description: "A server for tests.", version: "1.0.0", packages: [npm] };
  await writeFile(join(files, "server.json"), JSON.stringify(server));
  const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {} };
  await writeFile(join(files, "registry.json"), JSON.stringify(registry));
});
afterAll(() => rm(files, { recursive: true }));

/** The files, a server called everything, a secret, a client. */
async function prepare(context: ServedThv, work: string): Promise<void> {
  await cp(files, work, { recursive: true });
  await cp(join(files, "docs.pack"), join(context.home, "docs.pack"));
  await context.call(["run", "--name", "everything", "-l", "team=maps", "-e", "UNITS=metric", "mcp/echo:1"]);
  await context.call(["run", "--name", "fetch", "mcp/echo:1"]);
  await context.call(["client", "register", "vscode"]);
  const password = { env: { TOOLHIVE_SECRETS_PASSWORD: "correct horse" } };
  await context.call(["secret", "provider", "encrypted"], password);
  await context.call(["secret", "set", "github-token", "--file", join(work, "value")], password);
}
