/**
 * The desktop application of the reference against this API: the requests of its generated client, in the order of its screens,
 * each with the members of the answer that it reads. Source: desktop-ui-facts 1 and 4, upstream-now 4.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TokenRefused } from "@toolhive/core";
import { describe, expect, test, vi } from "vitest";
import { ServedWorld } from "../testing/served-world.ts";
import { ApiServer, type TokenCheck } from "./api-server.ts";

const BASE = "/api/v1beta";
const TOKEN = "Bearer of-the-issuer";
/** What each of its requests says of the application. */
const CLIENT = {
  Accept: "*/*",
  "X-Client-Type": "toolhive-studio",
  "X-Client-Version": "0.1.3",
  "X-Client-Platform": "linux",
  "X-Client-Release-Build": "true",
};
/** Of a page from a file, as its engine sends them. */
const PAGE = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" };

const tokens: TokenCheck = {
  verify: async (authorization) => {
    if (authorization !== TOKEN) throw new TokenRefused("No token.", "Bearer");
  },
};

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** Members that the application reads; `text` for an answer that is no JSON. */
  readonly reads?: unknown;
}

const anyText = expect.any(String);
const WORKLOAD = { name: "fetch-files", package: anyText, url: anyText, port: expect.any(Number), status: anyText };
const CREATE = {
  name: "fetch-files",
  image: "mcp/echo:1",
  transport: "stdio",
  target_port: 0,
  cmd_arguments: ["--verbose"],
  secrets: [{ name: "github", target: "GITHUB_TOKEN" }],
  network_isolation: false,
};
const SETTINGS = {
  method: "GET",
  path: `${BASE}/secrets/default`,
  status: 200,
  reads: { name: "default", provider_type: "encrypted", capabilities: { can_write: true, can_list: true } },
};

const REQUESTS: readonly Recorded[] = [
  // It starts the API and waits for it; then it makes sure of the encrypted store.
  { method: "GET", path: "/health", status: 204 },
  { method: "GET", path: `${BASE}/version`, status: 200, reads: { version: anyText } },
  { method: "GET", path: `${BASE}/secrets/default`, status: 404 },
  {
    method: "POST",
    path: `${BASE}/secrets`,
    body: { provider_type: "encrypted" },
    status: 201,
    reads: { message: anyText },
  },
  SETTINGS,
  // Servers: none.
  { method: "GET", path: `${BASE}/workloads?all=true`, status: 200, reads: { workloads: [] } },
  // Registry.
  {
    method: "GET",
    path: `${BASE}/registry/default`,
    status: 200,
    reads: { name: "default", registry: { servers: {} } },
  },
  {
    method: "GET",
    path: `${BASE}/registry/default/servers`,
    status: 200,
    reads: {
      servers: expect.arrayContaining([
        expect.objectContaining({ name: "github", description: anyText, tier: anyText }),
      ]),
    },
  },
  {
    method: "GET",
    path: `${BASE}/registry/default/servers/github`,
    status: 200,
    reads: {
      server: {
        name: "github",
        image: anyText,
        transport: "stdio",
        tools: expect.any(Array),
        env_vars: expect.any(Array),
      },
    },
  },
  { method: "GET", path: `${BASE}/registry/default/servers/my-own-server`, status: 404 },
  // The dialog stores what is new, one at a time, and creates.
  { method: "GET", path: `${BASE}/secrets/default/keys`, status: 200, reads: { keys: [] } },
  {
    method: "POST",
    path: `${BASE}/secrets/default/keys`,
    body: { key: "github", value: "ghp_x" },
    status: 201,
    reads: { key: "github" },
  },
  { method: "POST", path: `${BASE}/secrets/default/keys`, body: { key: "github", value: "y" }, status: 409 },
  {
    method: "POST",
    path: `${BASE}/workloads`,
    body: { ...CREATE, env_vars: ["UNITS=metric"] },
    status: 201,
    reads: { name: "fetch-files", port: expect.any(Number) },
  },
  { method: "GET", path: `${BASE}/workloads/fetch-files`, status: 200, reads: WORKLOAD },
  { method: "GET", path: `${BASE}/workloads/fetch-files/status`, status: 200, reads: { status: anyText } },
  { method: "GET", path: `${BASE}/workloads?all=true`, status: 200, reads: { workloads: [WORKLOAD] } },
  // Its newest version has variables as an object, and a group.
  {
    method: "POST",
    path: `${BASE}/workloads`,
    body: {
      ...CREATE,
      name: "newest",
      env_vars: { UNITS: "metric", EQUATION: "a=b" },
      group: "default",
      network_isolation: true,
      permission_profile: {
        network: { outbound: { allow_host: [".github.com"], allow_port: [443], insecure_allow_all: false } },
      },
    },
    status: 201,
    reads: { name: "newest", port: expect.any(Number) },
  },
  {
    method: "GET",
    path: `${BASE}/workloads/newest/export`,
    status: 200,
    reads: { env_vars: ["UNITS=metric", "EQUATION=a=b"] },
  },
  {
    method: "POST",
    path: `${BASE}/workloads/newest/edit`,
    body: { ...CREATE, name: "newest", env_vars: { UNITS: "imperial" }, group: "default" },
    status: 200,
    reads: { name: "newest", port: expect.any(Number) },
  },
  // It writes every member of its form, also those that nobody has set.
  {
    method: "POST",
    path: `${BASE}/workloads`,
    body: {
      ...CREATE,
      name: "all-members",
      env_vars: {},
      secrets: null,
      url: "",
      oauth_config: { issuer: "", scopes: null, oauth_params: null },
      headers: [],
      header_forward: null,
      oidc: {
        issuer: "",
        audience: "",
        jwks_url: "",
        introspection_url: "",
        client_id: "",
        client_secret: "",
        scopes: [],
      },
      permission_profile: {
        name: "custom",
        read: [],
        network: { mode: "", inbound: { allow_host: [] }, outbound: { allow_host: ["a.example"], allow_port: [443] } },
        privileged: false,
      },
      trust_proxy_headers: false,
      allow_docker_gateway: false,
      runtime_config: { builder_image: "", additional_packages: [] },
      tools_override: {},
    },
    status: 201,
    reads: { name: "all-members" },
  },
  {
    method: "GET",
    path: `${BASE}/workloads/all-members/export`,
    status: 200,
    reads: {
      permission_profile: { network: { outbound: { allow_host: ["a.example"], allow_port: [443] } } },
    },
  },
  {
    method: "GET",
    path: `${BASE}/workloads/upgrade-check?all=true&group=default`,
    status: 200,
    reads: {
      results: expect.arrayContaining([
        expect.objectContaining({ workload_name: "all-members", status: "not-registry-sourced" }),
      ]),
    },
  },
  {
    method: "GET",
    path: `${BASE}/workloads/all-members/upgrade-check`,
    status: 200,
    reads: { result: { workload_name: "all-members", status: "not-registry-sourced", current_image: "mcp/echo:1" } },
  },
  { method: "DELETE", path: `${BASE}/workloads/all-members`, status: 202 },
  {
    method: "GET",
    path: `${BASE}/registry`,
    status: 200,
    reads: { registries: [{ name: "default", auth_status: "none", auth_type: "" }] },
  },
  // A card's switch and menu.
  { method: "POST", path: `${BASE}/workloads/fetch-files/stop`, status: 202 },
  { method: "POST", path: `${BASE}/workloads/fetch-files/restart`, status: 202 },
  { method: "GET", path: `${BASE}/workloads/fetch-files/logs`, status: 200, reads: { text: anyText } },
  { method: "GET", path: `${BASE}/workloads/fetch-files/proxy-logs`, status: 200, reads: { text: anyText } },
  // Clients.
  {
    method: "GET",
    path: `${BASE}/discovery/clients`,
    status: 200,
    reads: {
      clients: expect.arrayContaining([
        { client_type: "cursor", title: "Cursor", installed: false, registered: false },
      ]),
    },
  },
  { method: "POST", path: `${BASE}/clients`, body: { name: "cursor" }, status: 200, reads: { name: "cursor" } },
  { method: "GET", path: `${BASE}/clients`, status: 200, reads: [{ name: "cursor" }] },
  { method: "DELETE", path: `${BASE}/clients/cursor`, status: 204 },
  // Secrets.
  { method: "GET", path: `${BASE}/secrets/default/keys`, status: 200, reads: { keys: [{ key: "github" }] } },
  {
    method: "PUT",
    path: `${BASE}/secrets/default/keys/github`,
    body: { value: "z" },
    status: 200,
    reads: { key: "github" },
  },
  { method: "DELETE", path: `${BASE}/secrets/default/keys/github`, status: 204 },
  // It quits, and starts what ran when it is opened again.
  { method: "POST", path: `${BASE}/workloads/newest/stop`, status: 202 },
  { method: "POST", path: `${BASE}/workloads/restart`, body: { names: ["newest"] }, status: 202 },
  { method: "DELETE", path: `${BASE}/workloads/fetch-files`, status: 202 },
  { method: "DELETE", path: `${BASE}/workloads/newest`, status: 202 },
];

type Target = { readonly socketPath: string } | { readonly host: string; readonly port: number };

async function send(target: Target, { method, path, body }: Omit<Recorded, "status">, headers: Record<string, string>) {
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = request({ ...target, method, path, headers: { ...headers, ...type }, agent: false });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  const isJson = response.headers["content-type"] === "application/json" && text !== "";
  return {
    status: response.statusCode as number,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : { text },
  };
}

/** A served API on a socket and on a port that asks for a token and lets pages from files in, as `thv serve` does. */
async function serve() {
  const served = await ServedWorld.start({ TOOLHIVE_SECRETS_PASSWORD: "a password of this test" });
  // Workloads of this world read no store of secrets.
  served.world.secrets.set("github", "ghp_x");
  const folder = await mkdtemp(join(tmpdir(), "desktop-"));
  const server = new ApiServer({ handlers: served.handlers, onBug: (error) => served.bugs.push(error) });
  const socketPath = join(folder, "thv.sock");
  await server.listenOnPath(socketPath);
  const port = await server.listenOnPort("127.0.0.1", 0, { hosts: [], origins: ["null", "file://"] }, tokens);
  return {
    served,
    socket: { socketPath },
    port: { host: "127.0.0.1", port },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await served[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe("the desktop application of the reference", () => {
  test.each([
    ["on a socket, where it sends no origin", "socket", {}],
    ["on a socket, as a page from a file", "socket", { Origin: "null", ...PAGE }],
    [
      "on a port that asks for a token, as a page from a file",
      "port",
      { Origin: "null", ...PAGE, Authorization: TOKEN },
    ],
    ["on such a port, with access to every file", "port", { Origin: "file://", ...PAGE, Authorization: TOKEN }],
  ] as const)("works %s", async (_how, where, headers) => {
    await using api = await serve();
    const wrong: string[] = [];

    for (const recorded of REQUESTS) {
      const answer = await send(api[where], recorded, { ...CLIENT, ...headers });
      const { method, path, status, reads } = recorded;
      if (answer.status !== status) wrong.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      if (reads !== undefined) expect.soft(answer.body, `${method} ${path}`).toMatchObject(reads as object);
      if (path.endsWith("/restart") || method === "DELETE") continue;
      // It polls until what it started runs.
      for (const { name } of api.served.supervisor.list())
        await vi.waitFor(() =>
          expect(["starting", "stopping"]).not.toContain(api.served.supervisor.describe(name).status),
        );
    }

    expect(wrong).toEqual([]);
    expect(api.served.bugs).toEqual([]);
  });

  test.each(["null", "file://"])(
    "is asked for its token as a page of the origin %s, after its preflight",
    async (origin) => {
      await using api = await serve();
      const page = { ...PAGE, Origin: origin };
      const names = ["authorization", "content-type", ...Object.keys(CLIENT).filter((name) => name !== "Accept")];
      const question = {
        ...page,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": names.map((name) => name.toLowerCase()).join(","),
      };

      const preflight = await send(api.port, { method: "OPTIONS", path: `${BASE}/workloads` }, question);
      const refused = await send(api.port, { method: "GET", path: `${BASE}/workloads` }, { ...CLIENT, ...page });

      expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([204, origin]);
      const allowed = String(preflight.headers["access-control-allow-headers"]).toLowerCase().split(", ");
      expect(names.filter((name) => !allowed.includes(name.toLowerCase()))).toEqual([]);
      expect(refused.status).toBe(401);
      // No browser adds anything of its own to such a request.
      expect(preflight.headers["access-control-allow-credentials"]).toBeUndefined();
    },
  );
});
