/** Forms in which servers ask to sign in, as RFC 9110 allows them and as they are met. */
import { describe, expect, test } from "vitest";
import { parseChallenge } from "./challenge.ts";
import { discoverRemoteIssuer } from "./discovery.ts";

const BASE = "https://203.0.114.7";
const SERVER = new URL(`${BASE}/mcp`);
const ISSUER = "https://203.0.114.8";
const PRM = `${BASE}/prm`;

describe("a challenge", () => {
  test.each([
    ["as usual", `Bearer resource_metadata="${PRM}"`],
    ["blanks around =", `Bearer resource_metadata = "${PRM}"`],
    ["tabs around =", `Bearer\tresource_metadata\t=\t"${PRM}"`],
    ["no quotes", `Bearer resource_metadata=${PRM}`],
    ["no quotes, and another member", `Bearer resource_metadata=${PRM}, error=invalid_token`],
    ["single quotes", `Bearer resource_metadata='${PRM}'`],
    ["capitals", `BEARER Resource_Metadata="${PRM}"`],
    ["another scheme first", `Basic realm="x", Bearer resource_metadata="${PRM}"`],
    ["another scheme after it", `Bearer resource_metadata="${PRM}", Basic realm="x"`],
    ["a scheme without members first", `Negotiate, Bearer resource_metadata="${PRM}"`],
    ["a scheme with a token first", `Negotiate YII+/abc==, Bearer resource_metadata="${PRM}"`],
    [
      "a scheme's name in a text",
      `Basic realm="Bearer resource_metadata=\\"https://203.0.114.9\\"", Bearer resource_metadata="${PRM}"`,
    ],
    ["DPoP first", `DPoP algs="ES256", Bearer resource_metadata="${PRM}"`],
    ["DPoP with another address first", `DPoP resource_metadata="${BASE}/dpop", Bearer resource_metadata="${PRM}"`],
    ["only DPoP", `DPoP algs="ES256", resource_metadata="${PRM}"`],
    ["blanks in place of commas", `Bearer realm="x" resource_metadata="${PRM}"`],
    ["empty members", `, ,Bearer realm="",, resource_metadata="${PRM}",`],
    ["quotes that do not end", `Bearer resource_metadata="${PRM}`],
    ["escaped characters", `Bearer resource_metadata="${PRM.replace("prm", "\\p\\r\\m")}"`],
  ])("with %s names the metadata", (_form, header) => {
    expect(parseChallenge(header).resourceMetadataUrls?.[0]?.href).toBe(PRM);
  });

  test("names each address once, in order", () => {
    const header = `Bearer resource_metadata="${BASE}/a", resource_metadata="${PRM}", resource_metadata="${BASE}/a"`;

    expect(parseChallenge(header).resourceMetadataUrls?.map(String)).toEqual([`${BASE}/a`, PRM]);
  });

  test("in several headers is read as one", () => {
    const headers = new Headers();
    headers.append("www-authenticate", "Negotiate");
    headers.append("www-authenticate", `Bearer error="insufficient_scope", scope="a b", resource_metadata="${PRM}"`);

    expect(parseChallenge(headers.get("www-authenticate") ?? "")).toMatchObject({
      error: "insufficient_scope",
      scopes: ["a", "b"],
      resourceMetadataUrls: [new URL(PRM)],
    });
  });

  test.each([
    "",
    "Bearer",
    '=,="',
    "Bearer resource_metadata=",
    'Bearer resource_metadata="nowhere"',
    'Bearer resource_metadata="file:///etc/passwd"',
    "Negotiate abc==",
    `${"\\".repeat(4_000)}"${'"='.repeat(4_000)}`,
  ])("as %j names nothing", (header) => {
    expect(parseChallenge(header)).toEqual({});
  });

  test("of an older server names its issuer as realm", () => {
    expect(parseChallenge(`Basic realm="https://no.example", Bearer realm="${ISSUER}"`).realm?.href).toBe(`${ISSUER}/`);
  });
});

describe("metadata of a server", () => {
  const discover = async (header: string, answers: Readonly<Record<string, object>>) => {
    const asked: string[] = [];
    const fetchFn: typeof fetch = async (input) => {
      const { pathname, origin } = new URL(input instanceof Request ? input.url : input);
      if (origin === ISSUER) {
        return Response.json({
          issuer: ISSUER,
          authorization_endpoint: `${ISSUER}/authorize`,
          token_endpoint: `${ISSUER}/token`,
          response_types_supported: ["code"],
        });
      }
      asked.push(pathname);
      const answer = answers[pathname];
      return answer ? Response.json(answer) : new Response("no", { status: 404 });
    };
    const request = {
      server: SERVER,
      challenge: parseChallenge(header),
      signal: new AbortController().signal,
      fetchFn,
    };
    return { asked, found: await discoverRemoteIssuer(request).catch((error: unknown) => error) };
  };
  const good = { resource: SERVER.href, authorization_servers: [ISSUER] };
  const other = { resource: "https://203.0.114.9/mcp", authorization_servers: [ISSUER] };
  const named = (...paths: string[]) =>
    `Bearer ${paths.map((path) => `resource_metadata="${BASE}${path}"`).join(", ")}`;
  const WELL_KNOWN = "/.well-known/oauth-protected-resource/mcp";

  test.each([
    ["at the second address", named("/nope", "/prm"), { "/prm": good }, ["/nope", "/prm"]],
    ["at the well-known place", named("/nope"), { [WELL_KNOWN]: good }, ["/nope", WELL_KNOWN]],
    ["at the first address, and asks no other", named("/prm", "/nope"), { "/prm": good, "/nope": other }, ["/prm"]],
  ])("is found %s", async (_where, header, answers, paths) => {
    const { asked, found } = await discover(header, answers);

    expect(found).toMatchObject({ resource: SERVER.href, endpoints: { issuer: ISSUER } });
    expect(asked).toEqual(paths);
  });

  test("about another server is refused, whatever the next address says", async () => {
    const { found } = await discover(named("/other", "/prm"), { "/other": other, "/prm": good });

    expect(found).toMatchObject({ code: "UNAUTHENTICATED", message: expect.stringContaining("which it is not") });
  });

  test("that is nowhere is said to be that, with what to do", async () => {
    const { found } = await discover(named("/nope"), {});

    expect(found).toMatchObject({
      code: "ISSUER_UNAVAILABLE",
      message: expect.stringContaining(`${BASE}/nope cannot be read`),
      hint: expect.stringContaining("--remote-auth-issuer"),
    });
  });
});
