/**
 * The table of the API: every operation with every status that its document names, shown on a real engine, or with the
 * reason why it is not shown here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { ROUTES } from "@toolhive/api/routes";
import { AUDIENCE, TestIssuer } from "@toolhive/core/testing";
import { describeEngines, type TestEngine, THV_BUNDLE, ThrowawayHome, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Call,
  type Case,
  ELSEWHERE,
  ON_A_REAL_ENGINE,
  TOO_LARGE,
  WITH_DAMAGED_SETTINGS,
  WITHOUT_AN_ENGINE,
  WITHOUT_TOKEN,
} from "../src/testing/operation-cases.ts";

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
