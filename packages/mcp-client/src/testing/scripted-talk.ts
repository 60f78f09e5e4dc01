/** A session over streamable HTTP with a server that a test scripts. */
import { openSession } from "../open-session.ts";
import type { ClientSession, OutgoingMessage } from "../session.ts";
import { json, type Script, type ScriptedServer, startScripted } from "./scripted-server.ts";

export const opened: { dispose: () => PromiseLike<unknown> }[] = [];

interface Talk {
  readonly session: ClientSession;
  readonly server: ScriptedServer;
  /** What the server says by itself. */
  readonly said: readonly string[];
  readonly lost: readonly string[];
  /** Sends a request that is answered by a message with this text. @returns The messages that have come. */
  readonly ask: (answer?: string, more?: Partial<OutgoingMessage>) => Promise<string[]>;
  readonly notify: () => Promise<void>;
}

export async function talk(script: Script, { maxMessageBytes = 1_000 } = {}): Promise<Talk> {
  const server = await startScripted(script);
  const said: string[] = [];
  const lost: string[] = [];
  const session = await openSession(
    { url: server.url, maxMessageBytes },
    { onMessage: (text) => void said.push(text.toString("utf8")), onLost: (reason) => lost.push(reason) },
  );
  opened.push({ dispose: () => server[Symbol.asyncDispose]() }, { dispose: () => session.close() });
  const ask = async (answer = "answer", more: Partial<OutgoingMessage> = {}): Promise<string[]> => {
    const got: string[] = [];
    const post = session.post({
      body: [Buffer.from("request")],
      onMessage: (text) => void got.push(text.toString("utf8")),
      isAnswered: () => got.includes(answer),
      ...more,
    });
    await post.done;
    return got;
  };
  const notify = async () =>
    await session.post({ body: [Buffer.from("notification")], onMessage: () => undefined }).done;
  return { session, server, said, lost, ask, notify };
}

/** Opens a session with this id. */
export async function begin({ ask, session }: Talk, revision = "2025-06-18"): Promise<void> {
  await ask("answer", { isInitialize: true });
  session.establish(revision);
  session.listen();
}

/** Answers a POST with JSON that opens a session, and everything else as the test says. */
export const withSession =
  (script: Script): Script =>
  (request, response) => {
    if (request.method === "POST" && request.headers["mcp-session-id"] === undefined)
      json(response, "answer", { "mcp-session-id": "s1" });
    else script(request, response);
  };
