/**
 * Servers whose JSON parsers disagree, behind the real proxy: whatever is done to the names of a message, no policy is
 * passed by, and nothing of one client reaches another.
 */
import type { McpEndpoint } from "@toolhive/core";
import { PropertyBudget } from "@toolhive/core/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEndpoint } from "../src/open-endpoint.ts";
import type { ChildServer } from "../src/testing/child-servers.ts";
import { LANGUAGES, startParserServer, whyMissing } from "../src/testing/parser-servers.ts";
import { openSession, post, type RawSession } from "../src/testing/raw-client.ts";
import { openMcpEndpoint } from "../src/transports/stdio-endpoint.ts";

/** Building the server in Go takes long on a machine that has built nothing in Go before. */
const BUILD_MS = 300_000;
const RUNS = 150;

const AUTHZ = {
  version: "1.0",
  type: "cedarv1" as const,
  cedar: {
    policies: [
      'permit(principal, action, resource == Tool::"pay");',
      "forbid(principal, action, resource) when { context has arg_amount && context.arg_amount > 100 };",
    ],
  },
};

/** Ways to write a name that some parser takes for the name itself. */
const spelling = (name: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(name) },
    { weight: 3, arbitrary: fc.constant(name.toUpperCase()) },
    { weight: 3, arbitrary: fc.constant(name.charAt(0).toUpperCase() + name.slice(1)) },
    { weight: 1, arbitrary: fc.constant(name.replaceAll("s", "\u017f").replaceAll("k", "\u212a")) },
    { weight: 1, arbitrary: fc.constant(`_${name}`) },
    { weight: 1, arbitrary: fc.constant(`${name}\0`) },
  );

/** Writes a name with its first letter as an escape, or plainly. */
const written = (name: string) =>
  fc.boolean().map((isEscaped) => {
    const text = JSON.stringify(name);
    return isEscaped ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${text.slice(2)}` : text;
  });

/** A member under some spelling, perhaps twice: one of the values is the bad one. */
const member = (name: string, bad: fc.Arbitrary<string>, good: string): fc.Arbitrary<string> => {
  const key = spelling(name).chain(written);
  const one = fc.tuple(key, bad).map(([k, v]) => `${k}:${v}`);
  const two = fc
    .tuple(key, bad, key, fc.boolean())
    .map(([k, v, k2, isFirst]) => (isFirst ? `${k}:${v},${k2}:${good}` : `${k2}:${good},${k}:${v}`));
  return fc.oneof(one, two);
};

const inBraces = (parts: readonly string[]): string => `{${parts.join(",")}}`;

const payment = (amount: number) => {
  const args = member("amount", fc.constant(String(amount)), "1").map((text) => `{${text}}`);
  const params = fc.tuple(fc.constant('"name":"pay"'), member("arguments", args, '{"amount":1}')).map(inBraces);
  const call = '"method":"tools/call"';
  return fc
    .tuple(fc.constant('"jsonrpc":"2.0"'), fc.constant('"id":1'), fc.constant(call), member("params", params, "{}"))
    .map(inBraces);
};

describe.each(LANGUAGES)("a server in %s", (language) => {
  const missing = whyMissing(language);
  const why = missing === undefined ? "" : ` (skipped: ${missing})`;

  describe.skipIf(missing !== undefined)(`with policies${why}`, () => {
    let server: ChildServer;
    let endpoint: McpEndpoint;
    let session: RawSession;
    beforeAll(async () => {
      server = startParserServer(language);
      const access = { authz_config: AUTHZ };
      endpoint = await openEndpoint({ name: language, host: "127.0.0.1", port: 0, transport: "stdio", access });
      endpoint.connect(server.connection);
      session = await openSession(endpoint);
    }, BUILD_MS);
    afterAll(async () => {
      await endpoint.close();
      await server.kill();
    });

    test("pays what it may", async () => {
      const answer = await session.post(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"amount":100}}}',
      );

      expect(await answer.text()).toContain("pay paid 100");
    });

    test("never pays more, however the message is spelled", async () => {
      const budget = new PropertyBudget(RUNS);
      const holds = budget.limit(async (text: string) => {
        const answer = await session.post(text);

        expect(await answer.text()).not.toMatch(/paid 1000/);
      });
      await fc.assert(fc.asyncProperty(payment(1000), holds), budget.parameters);
    });
  });

  describe.skipIf(missing !== undefined)(`without rules${why}`, () => {
    let server: ChildServer;
    let endpoint: McpEndpoint;
    beforeAll(async () => {
      server = startParserServer(language);
      endpoint = await openMcpEndpoint({ name: language, host: "127.0.0.1", port: 0 });
      endpoint.connect(server.connection);
    }, BUILD_MS);
    afterAll(async () => {
      await endpoint.close();
      await server.kill();
    });
    const call = (name: string, more = ""): string =>
      `{"jsonrpc":"2.0","id":"${name}","method":"tools/call","params":{"name":"${name}"${more}}}`;

    test("says nothing of one client to another that knows the number of its request", async () => {
      const victim = await openSession(endpoint);
      const attacker = await openSession(endpoint);

      const budget = new PropertyBudget(RUNS);
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(withId, withToken),
          budget.limit(async (text) => {
            const waiting = victim.post(call("hold", ',"_meta":{"progressToken":"mine"}'));
            const number = await countRequests(attacker);

            await (await attacker.post(text.replace(NUMBER, number))).text();
            await (await attacker.post(call("release"))).text();

            expect(await (await waiting).text()).not.toContain("evil");
          }),
        ),
        budget.parameters,
      );
    });

    /** Stands for a number that is known only when the message is sent. */
    const NUMBER = "4711471147114711";

    const withId = member("id", fc.constant(NUMBER), '"own"').map(
      (id) => `{"jsonrpc":"2.0",${id},"method":"tools/call","params":{"name":"evil"}}`,
    );

    const token = member("progressToken", fc.constant(NUMBER), '"own"').map((text) => `{${text}}`);
    const withToken = member("_meta", token, "{}").map(
      (meta) => `{"jsonrpc":"2.0","id":"own","method":"tools/call","params":{"name":"evil",${meta}}}`,
    );

    /** The number that the server knows the only held request by: this one shows its requests to everybody. */
    async function countRequests(session: RawSession): Promise<string> {
      for (;;) {
        const answer = (await (await post(endpoint, call("requests"), session.headers)).json()) as {
          result: { content: [{ text: string }] };
        };
        const [number] = JSON.parse(answer.result.content[0].text) as number[];
        if (number !== undefined) return String(number);
      }
    }
  });
});
