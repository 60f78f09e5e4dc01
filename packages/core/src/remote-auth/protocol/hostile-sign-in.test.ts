/** What a remote server, its authorization server, and others on this machine try against a sign-in. */
import { describe, expect, test } from "vitest";
import { discoverRemoteIssuer, type ResolveHost } from "./discovery.ts";
import { beginSignIn, type SignInRequest } from "./sign-in.ts";

const SERVER = new URL("http://127.0.0.1:9/mcp");
const ISSUER = "http://127.0.0.1:9";
const patience = () => AbortSignal.timeout(20_000);

interface Answers {
  /** Members of the authorization server's metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly token?: () => Response | Promise<Response>;
}

/** A server with an authorization server, neither of which is anywhere. @returns And the addresses that were asked. */
function pretend({
  metadata = {},
  token = () => Response.json({ access_token: "a", token_type: "Bearer" }),
}: Answers = {}) {
  const asked: string[] = [];
  const send: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    asked.push(url.pathname);
    init?.signal?.throwIfAborted();
    if (url.pathname.includes("oauth-protected-resource")) {
      return Response.json({ resource: SERVER.href, authorization_servers: [ISSUER] });
    }
    if (url.pathname === "/register") return Response.json({ client_id: "me", redirect_uris: [] }, { status: 201 });
    if (url.pathname === "/token") return await token();
    return Response.json({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      registration_endpoint: `${ISSUER}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      ...metadata,
    });
  };
  return { asked, send };
}

async function begin(answers: Answers, changes: Partial<SignInRequest> = {}) {
  const { asked, send } = pretend(answers);
  const pending = await beginSignIn({
    server: SERVER,
    challenge: undefined,
    callbackPort: 0,
    timeoutMs: 20_000,
    signal: patience(),
    send,
    ...changes,
  });
  const { searchParams } = new URL(pending.offer.address);
  const back = new URL(searchParams.get("redirect_uri") ?? "");
  /** The browser comes back. */
  const visit = async (query: Readonly<Record<string, string>> = {}) => {
    const state = searchParams.get("state") ?? "";
    const response = await fetch(`${back.href}?${new URLSearchParams({ code: "c", state, ...query })}`);
    return `${response.status} ${await response.text()}`;
  };
  return { pending, asked, visit, searchParams };
}

describe("a public server that names an address of this machine or of a private network", () => {
  const hosts: Readonly<Record<string, readonly string[]>> = {
    "mcp.example.com": ["203.0.114.7"],
    "id.example.com": ["203.0.114.8"],
    "inside.example.com": ["10.1.2.3"],
    "both.example.com": ["203.0.114.8", "fd00::1"],
    "rebinds.example.com": ["::ffff:192.168.0.1"],
    "cloud.example.com": ["169.254.169.254"],
  };
  const resolveHost: ResolveHost = async (name) => {
    const found = hosts[name];
    if (!found) throw new Error("not found");
    return found;
  };

  const discover = async (
    issuer: string,
    { metadata = {}, known = {}, server = "https://mcp.example.com/mcp" } = {},
  ) => {
    const asked: string[] = [];
    const fetchFn: typeof fetch = async (input) => {
      const url = new URL(input instanceof Request ? input.url : input);
      asked.push(url.hostname);
      if (url.pathname.includes("oauth-protected-resource")) {
        return Response.json({ resource: server, authorization_servers: [issuer] });
      }
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ["code"],
        ...metadata,
      });
    };
    const request = {
      server: new URL(server),
      challenge: undefined,
      signal: patience(),
      fetchFn,
      resolveHost,
      ...known,
    };
    return { asked, found: await discoverRemoteIssuer(request).catch((error: unknown) => error) };
  };

  test.each([
    "https://10.0.0.1",
    "https://100.64.0.1",
    "https://169.254.169.254",
    "https://172.16.0.1",
    "https://192.168.1.1",
    "https://0.0.0.0",
    "https://2130706433",
    "https://[::]",
    "https://[fd00::1]",
    "https://[fe80::1]",
    "https://[::ffff:10.0.0.1]",
    "https://localhost.",
    "https://foo.localhost",
    "https://inside.example.com",
    "https://both.example.com",
    "https://rebinds.example.com",
    "https://cloud.example.com",
  ])("is not followed to %s", async (issuer) => {
    const { asked, found } = await discover(issuer);

    expect(found).toMatchObject({ code: "INVALID_ARGUMENT", hint: expect.stringContaining("--remote-auth-issuer") });
    expect(asked.every((host) => host === "mcp.example.com")).toBe(true);
  });

  test.each([
    "token_endpoint",
    "authorization_endpoint",
    "registration_endpoint",
    "revocation_endpoint",
    "device_authorization_endpoint",
  ])("is refused when its authorization server does so as %s", async (member) => {
    const { found } = await discover("https://id.example.com", { metadata: { [member]: "https://10.0.0.1/x" } });

    expect(found).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("https://10.0.0.1") });
  });

  test.each([
    ["the user has named it", { known: { issuer: "https://inside.example.com" } }],
    ["the server is in such a network itself", { server: "https://inside.example.com/mcp" }],
  ])("is believed when %s", async (_when, choices) => {
    expect((await discover("https://inside.example.com", choices)).found).toMatchObject({
      endpoints: { issuer: "https://inside.example.com" },
    });
  });

  test("a public address, and a name that only a proxy can resolve, are used", async () => {
    for (const issuer of ["https://id.example.com", "https://elsewhere.example.org"]) {
      expect((await discover(issuer)).found).toMatchObject({ endpoints: { issuer } });
    }
  });
});

describe("an authorization server that does not say that it checks PKCE with S256", () => {
  test.each([
    ["nothing", { code_challenge_methods_supported: undefined }],
    ["an empty list", { code_challenge_methods_supported: [] }],
    ["plain only", { code_challenge_methods_supported: ["plain"] }],
    ["another spelling", { code_challenge_methods_supported: ["s256"] }],
  ])("and says %s instead is refused before a client is registered", async (_what, metadata) => {
    const { asked, send } = pretend({ metadata });
    const request = {
      server: SERVER,
      challenge: undefined,
      callbackPort: 0,
      timeoutMs: 20_000,
      signal: patience(),
      send,
    };

    await expect(beginSignIn(request)).rejects.toMatchObject({
      code: "ISSUER_UNAVAILABLE",
      message: expect.stringContaining("PKCE"),
      hint: expect.stringContaining("--remote-auth-authorize-url"),
    });
    expect(asked).not.toContain("/register");
  });

  test("is used when the user has named its addresses, and is sent a challenge", async () => {
    const named = { authorizeUrl: `${ISSUER}/authorize`, tokenUrl: `${ISSUER}/token`, clientId: "me" };
    const { pending, searchParams } = await begin({}, named);

    expect(searchParams.get("code_challenge_method")).toBe("S256");
    await pending[Symbol.asyncDispose]();
  });
});

describe("the page to which a browser comes back", () => {
  const ENDED = "You are signed in. This page can be closed.\n";

  test("says so once the code was exchanged, and not before", async () => {
    let answer: (response: Response) => void = () => undefined;
    const token = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const { pending, asked, visit } = await begin({ token: async () => await token });
    await using _pending = pending;
    const done = pending.finish(async () => undefined);
    let shown: string | undefined;
    const page = visit().then((text) => {
      shown = text;
    });
    while (!asked.includes("/token")) await new Promise((resolve) => setImmediate(resolve));

    expect(shown).toBeUndefined();
    answer(Response.json({ access_token: "a", token_type: "Bearer" }));
    await page;

    expect(shown).toBe(`200 ${ENDED}`);
    expect((await done).tokens?.access).toBe("a");
  });

  test.each([
    ["the code is refused", { token: () => Response.json({ error: "invalid_grant" }, { status: 400 }) }, {}],
    ["the answer is no token", { token: () => Response.json({ nothing: true }) }, {}],
    ["the answer is no JSON", { token: () => new Response("<html>You are signed in</html>") }, {}],
    [
      "another authorization server says that it sent the code",
      { metadata: { authorization_response_iss_parameter_supported: true } },
      { iss: "https://evil.example.com" },
    ],
  ] as const)("says that nobody is when %s", async (_when, answers, query) => {
    const { pending, visit } = await begin(answers);
    await using _pending = pending;
    const done = pending.finish(async () => undefined).catch((error: unknown) => error);

    const page = await visit(query);

    expect(page).toMatch(/^400 /);
    expect(page).not.toContain("You are signed in. This page");
    expect(await done).toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("says the same to a second browser, and nothing good to one with another state", async () => {
    const { pending, visit } = await begin({});
    await using _pending = pending;
    expect(await visit({ state: "guessed" })).toMatch(/^400 This answer does not belong/);
    const pages = Promise.all([visit(), visit()]);
    await pending.finish(async () => undefined);

    expect(await pages).toEqual([`200 ${ENDED}`, `200 ${ENDED}`]);
  });

  test("says that it was given up when another sign-in takes its place", async () => {
    const { pending, asked, visit } = await begin({ token: async () => await new Promise<Response>(() => undefined) });
    pending.finish(async () => undefined).catch(() => undefined);
    const page = visit();
    while (!asked.includes("/token")) await new Promise((resolve) => setImmediate(resolve));

    await pending[Symbol.asyncDispose]();

    expect(await page).toMatch(/^400 This sign-in was given up/);
  });
});
