/** Requests that an endpoint makes to itself without a connection of the machine. */
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { HttpRefusal, sendJson } from "./http-exchange.ts";
import { InProcessAgent } from "./in-process.ts";

type Answer = ConstructorParameters<typeof InProcessAgent>[1];

function ask(answer: Answer, body = "{}", client = new Socket()) {
  const agent = new InProcessAgent(client, answer);
  const outgoing = requestHttp({ agent, method: "POST", path: "/mcp?x=1", headers: { host: "named.example" } });
  outgoing.end(body);
  return outgoing;
}

async function read(outgoing: ReturnType<typeof ask>): Promise<{ status: number | undefined; body: Buffer }> {
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status: answer.statusCode, body: Buffer.concat(chunks) };
}

describe("a request in the process", () => {
  test("has the path, the headers and the body that it was given, and the address of the client", async () => {
    const client = new Socket();
    Object.defineProperty(client, "remoteAddress", { value: "192.0.2.7" });
    const outgoing = ask(
      async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const seen = [
          request.url,
          request.headers.host,
          request.socket.remoteAddress,
          Buffer.concat(chunks).toString(),
        ];
        sendJson(response, 200, Buffer.from(JSON.stringify(seen)));
      },
      '{"id":1}',
      client,
    );

    expect(JSON.parse((await read(outgoing)).body.toString())).toEqual([
      "/mcp?x=1",
      "named.example",
      "192.0.2.7",
      '{"id":1}',
    ]);
  });

  test("carries megabytes in both directions", async () => {
    const body = "x".repeat(8 * 1024 * 1024);
    const outgoing = ask(async (request, response) => void request.pipe(response), body);

    expect((await read(outgoing)).body.toString() === body).toBe(true);
  });

  test("is answered with a refusal that is thrown, and with 500 for anything else", async () => {
    const refused = await read(
      ask(async () => {
        throw new HttpRefusal(404, RPC_ERRORS.SESSION_UNKNOWN, "unknown");
      }),
    );
    const { status, body } = await read(
      ask(async () => {
        throw new Error("a secret of the process");
      }),
    );

    expect(refused.status).toBe(404);
    expect(status).toBe(500);
    expect(body.toString()).not.toContain("secret");
  });

  test("ends for whoever answers it when it is given up", async () => {
    let isClosed: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const outgoing = ask(async (_request, response) => {
      response.on("close", isClosed);
      response.writeHead(200).flushHeaders();
    });
    outgoing.on("error", () => undefined);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    answer.on("error", () => undefined);
    outgoing.destroy();

    await closed;
  });

  test("fails when whoever answers it breaks off", async () => {
    const outgoing = ask(async (_request, response) => void response.destroy());

    await expect(once(outgoing, "response")).rejects.toThrow();
  });
});
