/**
 * What the command line alone may ask about secrets: a value, a password to unlock them, to forget the password. Only the
 * supervisor's private socket answers, which belongs to the user; the API has no operation that returns a value.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiClient } from "@toolhive/api/client";
import type { SecretManager } from "@toolhive/core";
import { messageOf, ThvError } from "@toolhive/core/errors";

const PREFIX = "/supervisor/secrets/";
/** Bytes of a request: a key or a password. */
const MAX_REQUEST_BYTES = 64 * 1024;

type Question = { read: { key: string }; unlock: { password: string }; forget: Record<never, never> };
type Answer = { read: { value: string }; unlock: Record<never, never>; forget: { had: boolean } };

/** Asks the supervisor. @throws {ThvError} what it says. */
export async function askSecrets<Verb extends keyof Question>(
  client: ApiClient,
  verb: Verb,
  question: Question[Verb],
): Promise<Answer[Verb]> {
  const response = await client.send("POST", `${PREFIX}${verb}`, { body: question });
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return JSON.parse(text) as Answer[Verb];
}

/** @returns Answers a request and says true, or false when it is about something else. */
export function createSecretControl(secrets: SecretManager) {
  const answers: { [Verb in keyof Question]: (question: Question[Verb]) => Promise<Answer[Verb]> } = {
    read: async ({ key }) => ({ value: await secrets.read(String(key)) }),
    unlock: async ({ password }) => {
      await secrets.unlock(String(password));
      return {};
    },
    forget: async () => ({ had: await secrets.resetKeyring() }),
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const verb = request.url?.startsWith(PREFIX) ? request.url.slice(PREFIX.length) : "";
    if (request.method !== "POST" || !Object.hasOwn(answers, verb)) return false;
    const answer = answers[verb as keyof Question] as (question: unknown) => Promise<unknown>;
    void readJson(request)
      .then(answer)
      .then(
        (body) => send(response, 200, body),
        (error) => send(response, 500, problemOf(error)),
      );
    return true;
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_REQUEST_BYTES) throw new ThvError("INVALID_ARGUMENT", "The request is too large.");
  }
  return JSON.parse(text);
}

function problemOf(error: unknown) {
  if (!(error instanceof ThvError)) return { code: "INTERNAL", detail: messageOf(error) };
  return { code: error.code, detail: error.message, hint: error.hint };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
