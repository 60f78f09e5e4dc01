/**
 * The table of the API: every operation with every status that its document names, shown on a real engine, or with the
 * reason why it is not shown here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROUTES } from "@toolhive/api/routes";
import { AUDIENCE, TestIssuer } from "@toolhive/core/testing";
import { describeEngines, type TestEngine, THV_BUNDLE, ThrowawayHome, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const IMAGE = "toolhive-test/echo:test";
const EXITING = "toolhive-test/exits:test";
const BAD_NAME = "b@d";
/** A list of servers, as a file. */
const LIST = fileURLToPath(new URL("../../core/src/registry/embedded-registry.json", import.meta.url));
const TOO_LARGE = "x".repeat(1024 * 1024 + 1);

interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Case = readonly [operation: string, status: number, call?: Call];

interface Described {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
  readonly takesBody: boolean;
  /** Text of the document's example of 400. */
  readonly refusal: string;
}

/** A `thv serve` of its own. */
class Served implements AsyncDisposable {
  readonly home: ThrowawayHome;
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(home: ThrowawayHome, child: ChildProcess, port: number) {
    this.home = home;
    this.#child = child;
    this.#port = port;
  }

  static async start(engine: TestEngine | undefined, flags: readonly string[] = []): Promise<Served> {
    const home = await ThrowawayHome.create();
    const env = engine ? home.env(engine) : { ...home.env(), DOCKER_HOST: `unix://${home.path}/no-engine.sock` };
    const args = [THV_BUNDLE, "serve", "--port", "0", ...flags];
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let text = "";
    child.stderr?.on("data", (chunk) => {
      text += chunk;
    });
    const port = await waitFor(() => /answers at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1], { what: "thv serve" });
    return new Served(home, child, Number(port));
  }

  async send(
    method: string,
    path: string,
    { body, headers = {} }: Call = {},
  ): Promise<{ status: number; text: string }> {
    const content = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    // For DELETE, Node.js does not write the length by itself.
    const own = content !== undefined && {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(content),
    };
    const sent = request({
      ...{ host: "127.0.0.1", port: this.#port, method, path, agent: false },
      headers: { ...own, ...headers },
    });
    sent.end(content);
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk;
      // Such a stream may never end; its first line shows that it is answered.
      if (response.headers["content-type"] === "application/x-ndjson") break;
    }
    return { status: response.statusCode, text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
    await this.home[Symbol.asyncDispose]();
  }
}

const one = { params: { name: "one" } };
const absent = { params: { name: "absent" } };
const bad = { params: { name: BAD_NAME } };
const work = { params: { name: "work" } };
const create = (name: string, image = IMAGE) => ({ body: { name, image } });
const toolCall = { body: { method: "tools/call", params: { name: "echo", arguments: { text: "hello" } } } };
const question = { body: { claims: { sub: "alice" }, action: "call_tool", name: "echo" } };
const secret = (key: string) => ({ body: { key, value: "v" } });
const keyed = (key: string, body?: unknown) => ({ params: { key }, ...(body !== undefined && { body }) });
const catalog = (reference: string) => ({ params: { reference } });
const registry = (name: string, serverName = "everything") => ({ params: { name, serverName } });

/** In this order, each on what the ones before have left. */
const ON_A_REAL_ENGINE: readonly Case[] = [
  ["getHealth", 204],
  ["getOpenApi", 200],
  ["getVersion", 200],
  ["getSystem", 200],
  ["runDoctor", 200],
  ["createWorkload", 404, { body: { name: "one", image: "no/such:1", pull_policy: "never" } }],
  ["createWorkload", 400, create(BAD_NAME)],
  ["createWorkload", 201, create("one")],
  ["createWorkload", 409, create("one")],
  ["watchEvents", 200],
  ["getProxyLogs", 200, one],
  ["getProxyLogs", 400, bad],
  ["getProxyLogs", 404, absent],
  ["listRecentCalls", 200, one],
  ["listRecentCalls", 400, bad],
  ["listRecentCalls", 404, absent],
  ["decideCall", 200, { ...one, ...question }],
  ["decideCall", 400, { ...bad, ...question }],
  ["decideCall", 404, { ...absent, ...question }],
  ["listDenied", 200, one],
  ["listDenied", 400, bad],
  ["listDenied", 404, absent],
  ["watchWorkloadLogs", 200, one],
  ["watchWorkloadLogs", 400, bad],
  ["watchWorkloadLogs", 404, absent],
  ["planWorkload", 200, create("new")],
  ["planWorkload", 400, create(BAD_NAME)],
  ["planWorkload", 404, { body: { name: "new", image: IMAGE }, query: "replace=absent" }],
  ["planWorkload", 409, create("one")],
  ["getWorkloadStatus", 200, one],
  ["getWorkloadStatus", 400, bad],
  ["getWorkloadStatus", 404, absent],
  ["exportWorkload", 200, one],
  ["exportWorkload", 400, bad],
  ["exportWorkload", 404, absent],
  ["getWorkloadDetails", 200, one],
  ["getWorkloadDetails", 400, bad],
  ["getWorkloadDetails", 404, absent],
  ["undoWorkloadEdit", 400, one],
  ["undoWorkloadEdit", 404, absent],
  ["editWorkload", 200, { ...one, body: { name: "one", image: IMAGE, env_vars: ["UNITS=metric"] } }],
  ["undoWorkloadEdit", 200, one],
  ["editWorkload", 200, { ...one, ...create("one") }],
  ["editWorkload", 400, { ...one, ...create("other") }],
  ["editWorkload", 404, { ...absent, ...create("absent") }],
  ["editWorkload", 500, { ...one, body: { image: EXITING } }],
  ["listWorkloadTools", 200, one],
  ["listWorkloadPrompts", 200, one],
  ["listWorkloadResources", 200, one],
  ...["listWorkloadTools", "listWorkloadPrompts", "listWorkloadResources"].flatMap((operation): Case[] => [
    [operation, 400, bad],
    [operation, 404, absent],
  ]),
  ["callWorkload", 200, { ...one, ...toolCall }],
  ["callWorkload", 400, { ...bad, ...toolCall }],
  ["callWorkload", 404, { ...absent, ...toolCall }],
  ["listUsage", 200],
  ["getUsage", 200, one],
  ["getUsage", 400, bad],
  ["getUsage", 404, absent],
  ["getMetrics", 200],
  ["setUsageRecording", 204, { body: { is_recorded: true } }],
  ["exportProject", 200],
  ["exportProject", 404, { query: "group=absent" }],
  ["readProject", 200, { body: { text: "servers: {}" } }],
  ["answerCall", 400, { params: { call_id: "none" }, body: { question_id: "none", result: {} } }],
  ["checkUpgrades", 200],
  ["checkUpgrades", 404, { query: "group=absent" }],
  ["checkUpgrade", 200, one],
  ["checkUpgrade", 400, bad],
  ["checkUpgrade", 404, absent],
  ["upgradeWorkload", 200, { ...one, body: {} }],
  ["upgradeWorkload", 400, { ...one, body: { env: ["=none"] } }],
  ["upgradeWorkload", 404, { ...absent, body: {} }],
  ["listWorkloads", 200, { query: "all=true" }],
  ["listWorkloads", 400, { query: "label=team" }],
  ["getWorkload", 200, one],
  ["getWorkload", 400, bad],
  ["getWorkload", 404, absent],
  ["getWorkloadLogs", 200, one],
  ["getWorkloadLogs", 400, bad],
  ["getWorkloadLogs", 404, absent],
  ["listWorkloads", 404, { query: "group=absent" }],
  ["listSignIns", 200],
  ["getSignIn", 400, one],
  ["getSignIn", 404, absent],
  ["beginSignIn", 400, { ...one, body: {} }],
  ["beginSignIn", 404, { ...absent, body: {} }],
  ["endSignIn", 400, bad],
  ["endSignIn", 404, absent],
  ["getPermissions", 200, one],
  ["getPermissions", 400, bad],
  ["getPermissions", 404, absent],
  ["allowTarget", 400, { ...one, body: { host: "a.example" } }],
  ["allowTarget", 404, { ...absent, body: { host: "a.example" } }],
  ["applyLearned", 400, one],
  ["applyLearned", 404, absent],
  ["getToolPins", 200, one],
  ["getToolPins", 400, bad],
  ["getToolPins", 404, absent],
  ["acceptTools", 200, { ...one, body: {} }],
  ["acceptTools", 400, { ...bad, body: {} }],
  ["acceptTools", 404, { ...absent, body: {} }],
  ["listGroups", 200],
  ["createGroup", 201, { body: { name: "work" } }],
  ["createGroup", 409, { body: { name: "work" } }],
  ["createGroup", 400, { body: { name: "$" } }],
  ["getGroup", 200, work],
  ["getGroup", 404, absent],
  ["listGroupTools", 200, work],
  ["listGroupTools", 400, { params: { name: "default" } }],
  ["listGroupTools", 404, absent],
  ["chooseGroupTools", 200, { ...work, body: { tools: ["add"] } }],
  ["chooseGroupTools", 404, { ...absent, body: { tools: ["add"] } }],
  ["addGroupWorkload", 204, { params: { name: "work", workload: "one" } }],
  ["addGroupWorkload", 404, { params: { name: "work", workload: "absent" } }],
  ["removeGroupWorkload", 204, { params: { name: "work", workload: "one" } }],
  ["removeGroupWorkload", 400, { params: { name: "default", workload: "one" } }],
  ["removeGroupWorkload", 404, { params: { name: "absent", workload: "one" } }],
  ["registerClient", 404, { body: { name: "cursor", groups: ["absent"] } }],
  ["registerClients", 404, { body: { names: ["cursor"], groups: ["absent"] } }],
  ["unregisterClientFromGroup", 204, { params: { name: "cursor", group: "work" } }],
  ["deleteGroup", 400, { params: { name: "default" } }],
  ["deleteGroup", 404, absent],
  ["deleteGroup", 204, work],
  ["stopWorkload", 202, one],
  ["stopWorkload", 400, bad],
  ["stopWorkload", 404, absent],
  ["restartWorkload", 202, one],
  ["restartWorkload", 400, bad],
  ["restartWorkload", 404, absent],
  ["stopWorkloads", 202, { body: { names: ["one"] } }],
  ["stopWorkloads", 400, { body: { names: [BAD_NAME] } }],
  ["stopWorkloads", 404, { body: { group: "absent" } }],
  ["restartWorkloads", 202, { body: { names: ["one"] } }],
  ["restartWorkloads", 404, { body: { group: "absent" } }],
  ["deleteWorkloads", 404, { body: { group: "absent" } }],
  ["restartWorkloads", 400, { body: { names: [BAD_NAME] } }],
  ["deleteWorkloads", 400, { body: { names: [BAD_NAME] } }],
  ["deleteWorkload", 400, bad],
  ["deleteWorkload", 404, absent],
  ["deleteWorkload", 202, one],
  ["createWorkload", 201, create("two")],
  ["deleteWorkloads", 202, { body: { names: ["two"] } }],
  ["discoverClients", 200],
  ["listClients", 200],
  ["registerClient", 200, { body: { name: "cursor" } }],
  ["registerClient", 400, { body: { name: "emacs" } }],
  ["unregisterClient", 204, { params: { name: "cursor" } }],
  ["planClients", 200, { body: { register: ["cursor"], unregister: [] } }],
  ["planClients", 404, { body: { register: ["cursor"], unregister: [], group: "absent" } }],
  ["planClients", 400, { body: { register: ["emacs"], unregister: [] } }],
  ["undoClient", 200, { params: { name: "cursor" }, body: { apply: true } }],
  ["undoClient", 400, { params: { name: "emacs" }, body: { apply: true } }],
  ["registerClients", 200, { body: { names: ["cursor", "vscode"] } }],
  ["registerClients", 400, { body: { names: ["emacs"] } }],
  ["unregisterClients", 204, { body: { names: ["cursor", "vscode"] } }],
  ["unregisterClients", 400, { body: "[" }],
  ["getSecretsProvider", 404],
  ["listSecrets", 404],
  ["createSecret", 404, secret("token")],
  ["updateSecret", 404, keyed("token", { value: "w" })],
  ["deleteSecret", 404, keyed("token")],
  ["setupSecrets", 400, { body: { provider_type: "vault" } }],
  ["setupSecrets", 201, { body: { provider_type: "encrypted", password: "correct horse" } }],
  ["getSecretsProvider", 200],
  ["createSecret", 201, secret("token")],
  ["createSecret", 409, secret("token")],
  ["createSecret", 400, { body: { key: "", value: "" } }],
  ["listSecrets", 200],
  ["updateSecret", 200, keyed("token", { value: "w" })],
  ["updateSecret", 400, keyed("token", { value: "" })],
  ["deleteSecret", 204, keyed("token")],
  ["setupSecrets", 201, { body: { provider_type: "none" } }],
  ["createSecret", 405, secret("token")],
  ["updateSecret", 405, keyed("token", { value: "w" })],
  ["deleteSecret", 405, keyed("token")],
  ["listRegistries", 200],
  ["addRegistry", 501],
  ["getRegistry", 200, registry("default")],
  ["getRegistry", 404, registry("other")],
  ["deleteRegistry", 400, registry("default")],
  ["deleteRegistry", 404, registry("other")],
  ["chooseRegistry", 200, { ...registry("other"), body: { local_path: LIST } }],
  ["deleteRegistry", 204, registry("other")],
  ["refreshRegistry", 200, registry("default")],
  ["refreshRegistry", 404, registry("other")],
  ["chooseRegistry", 200, { ...registry("default"), body: {} }],
  ["chooseRegistry", 400, { ...registry("default"), body: { url: "ftp://a.example" } }],
  ["chooseRegistry", 400, { ...registry("other"), body: {} }],
  ["createAppSession", 401, { body: { token: "none" } }],
  ["deleteAppSession", 204],
  ["listServers", 200, registry("default")],
  ["listServers", 404, registry("other")],
  ["getServer", 200, registry("default")],
  ["getServer", 404, registry("default", "absent")],
  ["listCatalog", 200, { query: "search=read%20a%20web%20page" }],
  ["getCatalogEntry", 200, catalog("everything")],
  ["getCatalogEntry", 404, catalog("absent")],
  ["getCatalogIcon", 404, catalog("everything")],
];

/** With settings that cannot be read. */
const WITH_DAMAGED_SETTINGS: readonly Case[] = [
  ["listRegistries", 500],
  ["getRegistry", 500, registry("default")],
  ["refreshRegistry", 500, registry("default")],
  ["chooseRegistry", 500, { ...registry("default"), body: {} }],
  ["deleteRegistry", 500, registry("other")],
  ["listCatalog", 500],
  ["getCatalogEntry", 500, catalog("everything")],
  ["getCatalogIcon", 500, catalog("everything")],
  ["setUsageRecording", 500, { body: { is_recorded: false } }],
  ["exportProject", 500],
  ["listGroups", 500],
  ["getGroup", 500, { params: { name: "default" } }],
  ["unregisterClientFromGroup", 500, { params: { name: "cursor", group: "default" } }],
  ["planClients", 500, { body: { register: ["cursor"], unregister: [] } }],
  ["undoClient", 500, { params: { name: "cursor" }, body: { apply: true } }],
  ["listServers", 500, registry("default")],
  ["getServer", 500, registry("default")],
  ["listClients", 500],
  ["discoverClients", 500],
  ["registerClient", 500, { body: { name: "cursor" } }],
  ["registerClients", 500, { body: { names: ["cursor"] } }],
  ["unregisterClient", 500, { params: { name: "cursor" } }],
  ["unregisterClients", 500, { body: { names: ["cursor"] } }],
  ["setupSecrets", 500, { body: { provider_type: "none" } }],
  ["getSecretsProvider", 500],
  ["listSecrets", 500],
  ["createSecret", 500, secret("token")],
  ["updateSecret", 500, keyed("token", { value: "w" })],
  ["deleteSecret", 500, keyed("token")],
];

const WITHOUT_AN_ENGINE: readonly Case[] = [
  ["getHealth", 503],
  ["createWorkload", 500, create("one")],
  ["planWorkload", 500, create("one")],
];

/** Why a status is not shown here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "stopWorkload 409": "while a removal goes on: workload-supervisor.test.ts",
  "restartWorkload 409": "while a removal goes on: workload-supervisor.test.ts",
  "exportWorkload 409": "while a removal goes on: workload-supervisor.test.ts",
  "editWorkload 409": "while another edit goes on: workload-edit.test.ts",
  "upgradeWorkload 409": "while an edit goes on: workload-edit.test.ts",
  "checkUpgrade 409": "while a removal goes on: workload-supervisor.test.ts",
  "listRecentCalls 500": "damaged state: workload-recovery.test.ts",
  "decideCall 500": "damaged state: workload-recovery.test.ts",
  "exportWorkload 500": "damaged state: workload-recovery.test.ts",
  "getWorkloadDetails 500": "an engine that fails meanwhile: every-command.test.ts",
  "upgradeWorkload 500": "a server that ends: workload-edit.e2e.test.ts",
  "checkUpgrade 500": "a registry that cannot be read: registry.test.ts",
  "checkUpgrades 500": "a registry that cannot be read: registry.test.ts",
  "createAppSession 201": "with what thv ui prints: packages/app/e2e/safety.e2e.test.ts",
  "createAppSession 500": "a file that cannot be written: app-sessions.test.ts",
  "deleteAppSession 500": "a file that cannot be written: app-sessions.test.ts",
  "answerCall 204": "to a server that asks: calls.e2e.test.ts",
  ...Object.fromEntries(
    ["listWorkloadTools", "listWorkloadPrompts", "listWorkloadResources", "callWorkload", "listGroupTools"].flatMap(
      (operation) => [
        [`${operation} 429`, "with more calls than places: calls.test.ts"],
        [`${operation} 500`, "of a server that is stopped: calls.test.ts"],
      ],
    ),
  ),
  ...Object.fromEntries(
    ["createGroup", "deleteGroup", "chooseGroupTools", "addGroupWorkload", "removeGroupWorkload"].map((operation) => [
      `${operation} 500`,
      "a file that cannot be written: group-manager.test.ts",
    ]),
  ),
  ...Object.fromEntries(
    [
      ...["getSignIn 200", "beginSignIn 200", "beginSignIn 405", "beginSignIn 429", "beginSignIn 500"],
      ...["endSignIn 200", "endSignIn 409", "endSignIn 500"],
    ].map((each) => [each, "needs a remote server: auth.test.ts, remote-sign-ins.test.ts"]),
  ),
  "allowTarget 200": "of an isolated server: egress.e2e.test.ts",
  "applyLearned 200": "of a server that learned: egress.e2e.test.ts",
  ...Object.fromEntries(
    ["getPermissions", "allowTarget", "applyLearned"].flatMap((operation) => [
      [`${operation} 409`, "while a removal goes on: workload-supervisor.test.ts"],
      [`${operation} 500`, "an engine that goes away meanwhile: workload-isolation.test.ts"],
    ]),
  ),
  ...Object.fromEntries(
    ["allowTarget", "applyLearned"].map((operation) => [
      `${operation} 405`,
      "a secret that cannot be read when the server starts anew: workload-edit.test.ts",
    ]),
  ),
  ...Object.fromEntries(
    ["getToolPins", "acceptTools"].flatMap((operation) => [
      [`${operation} 409`, "while a removal goes on, or tools that have changed again: tool-pins.test.ts"],
      [`${operation} 500`, "damaged state: workload-pins.test.ts"],
    ]),
  ),
  "addGroupWorkload 400": "a group that is full: group-manager.test.ts",
  "getServer 400": "a name that several servers have: registry.test.ts",
  "getCatalogEntry 400": "a name that several servers have: public-registries.test.ts",
  "getCatalogIcon 400": "a name that several servers have: public-registries.test.ts",
  "listDenied 500": "an engine that goes away meanwhile: workload-isolation.test.ts",
  "getProxyLogs 429": "with more readers than places: logs.test.ts",
  "watchWorkloadLogs 429": "with more readers than places: logs.test.ts",
  "watchEvents 429": "with more readers than places: events.test.ts",
  "getProxyLogs 500": "a log that cannot be read: proxy-logs.test.ts",
  "watchWorkloadLogs 500": "a log that cannot be read: logs.test.ts",
  "stopWorkload 500": "damaged state: workload-recovery.test.ts",
  "restartWorkload 500": "damaged state: workload-recovery.test.ts",
  "getWorkloadLogs 500": "an engine that goes away meanwhile: every-command.test.ts",
  "addRegistry 204": "never, as its description says",
  "exportProject 400": "more servers than a file may have: format-project.test.ts",
  "undoWorkloadEdit 405": "a secret that cannot be read when the server starts anew: workload-edit.test.ts",
  "undoWorkloadEdit 409": "while another edit goes on: workload-edit.test.ts",
  "undoWorkloadEdit 500": "a server that ends: workload-edit.e2e.test.ts",
  "getCatalogIcon 200": "of an entry with an icon: entry-icons.test.ts",
  ...Object.fromEntries(
    [
      "pushProject 200",
      "pushProject 409",
      "pushProject 500",
      "pullProject 200",
      "pullProject 404",
      "pullProject 500",
    ].map((each) => [each, "needs an image registry: shared-project.test.ts, shared-projects.e2e.test.ts"]),
  ),
  ...Object.fromEntries(
    [
      ...[
        "getOpenApi",
        "getVersion",
        "getSystem",
        "runDoctor",
        "getWorkloadStatus",
        "listSignIns",
        "getSignIn",
        "watchEvents",
        "answerCall",
        "listWorkloads",
        "getWorkload",
        "deleteWorkload",
        "addRegistry",
        "listUsage",
        "getUsage",
        "getMetrics",
        "readProject",
      ],
      ...["stopWorkloads", "restartWorkloads", "deleteWorkloads"],
    ].map((operation) => [`${operation} 500`, "only by a defect, of which none is known"]),
  ),
};

/** Whoever calls these has no token yet, or needs none. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set(["getHealth", "createAppSession"]);

let main: Served;
let described: ReadonlyMap<string, Described>;
const shown = new Set<string>();

async function show(served: Served, each: Case): Promise<void> {
  await send(served, each);
  shown.add(`${each[0]} ${each[1]}`);
}

async function send(served: Served, [operation, status, call = {}]: Case): Promise<string> {
  const found = described.get(operation);
  if (!found) throw new Error(`There is no operation ${operation}.`);
  const path = found.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(call.params?.[name] ?? "x"));
  const answer = await served.send(found.method, call.query ? `${path}?${call.query}` : path, call);

  expect([operation, answer.status], answer.text.slice(0, 300)).toEqual([operation, status]);
  return answer.text;
}

describeEngines("the operations of the API, with $kind", { isOneEnough: true }, (engine) => {
  beforeAll(async () => {
    main = await Served.start(engine);
    const { text } = await main.send("GET", "/api/openapi.json");
    type Responses = Record<string, { content: Record<string, { example?: string }> }>;
    type Operation = { operationId: string; responses: Responses; requestBody?: object };
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
    described = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId, responses, requestBody }]) => {
          const statuses = Object.keys(responses).map(Number);
          const refusal = responses[400]?.content["text/plain"]?.example ?? "";
          const takesBody = requestBody !== undefined;
          return [operationId, { method: method.toUpperCase(), path, statuses, takesBody, refusal }];
        }),
      ),
    );
  });
  afterAll(async () => {
    await main[Symbol.asyncDispose]();
  });

  test("answer on a real engine with each status that a request can bring about", async () => {
    for (const each of ON_A_REAL_ENGINE) await show(main, each);
  });

  test("refuse a page of another origin, a client of MCP, and a body that is none, too large or not sent as JSON", async () => {
    const asText = { body: "{}", headers: { "Content-Type": "text/plain" } };
    for (const [operation, { method, takesBody, refusal }] of described) {
      await show(main, [operation, 403, { headers: { Origin: "https://evil.example" } }]);
      const text = await send(main, [operation, 400, { headers: { "Mcp-Session-Id": "one" } }]);
      expect(text).toMatch(/^This is not an MCP server\n/);
      // Of others, 400 is shown by what they themselves refuse.
      if (text.startsWith(refusal)) shown.add(`${operation} 400`);
      if (method !== "GET") await show(main, [operation, 415, asText]);
      if (!takesBody) continue;
      await show(main, [operation, 400, { body: "{" }]);
      await show(main, [operation, 413, { body: TOO_LARGE }]);
    }
  });

  test("ask for a token where an issuer is named", async () => {
    await using issuer = await TestIssuer.start();
    await using guarded = await Served.start(engine, ["--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE]);
    for (const [operation] of described) if (!WITHOUT_TOKEN.has(operation)) await show(guarded, [operation, 401]);
  });

  test("say what is wrong when the settings are damaged", async () => {
    await using served = await Served.start(engine);
    const folder = join(served.home.env().XDG_CONFIG_HOME ?? "", "toolhive");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "config.yaml"), "registry_url: [");
    for (const each of WITH_DAMAGED_SETTINGS) await show(served, each);
  });

  test("say so when there is no engine", async () => {
    await using served = await Served.start(undefined);
    for (const each of WITHOUT_AN_ENGINE) await show(served, each);
  });

  test("have no status that is neither shown here nor said to be shown elsewhere", () => {
    const all = [...described].flatMap(([operation, { statuses }]) =>
      statuses.map((status) => `${operation} ${status}`),
    );

    expect(described.size).toBe(Object.keys(ROUTES).length);
    expect(all.filter((each) => !shown.has(each) && !(each in ELSEWHERE))).toEqual([]);
    expect([...shown].filter((each) => !all.includes(each))).toEqual([]);
    expect(Object.keys(ELSEWHERE).filter((each) => shown.has(each) || !all.includes(each))).toEqual([]);
  });
});
