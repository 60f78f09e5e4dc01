/** Calls operations of the local API from the page. Methods, paths and types are those of the contract. */
import type { CallInput, OperationAnswer } from "@toolhive/api/client";
import { findRoute, type OperationId } from "@toolhive/api/routes";
import { authorization, forgetSession } from "./session.ts";

export type { OperationAnswer };

/** What the API said when it refused, as RFC 9457 and the error catalogue have it. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly docs: string | undefined;
  /** Everything that is wrong with the request, a sentence each. */
  readonly problems: readonly string[];
  /** The member that each of them is about, as JSON pointers. */
  readonly pointers: readonly string[];

  constructor(status: number, members: Partial<ProblemMembers>) {
    super(members.detail ?? `The API answered with status ${status}.`);
    this.name = "ApiProblem";
    this.status = status;
    this.code = members.code ?? "";
    this.hint = members.hint;
    this.docs = members.docs;
    this.problems = members.problems ?? [];
    this.pointers = members.pointers ?? [];
  }
}

interface ProblemMembers {
  readonly detail: string;
  readonly code: string;
  readonly hint: string;
  readonly docs: string;
  readonly problems: readonly string[];
  readonly pointers: readonly string[];
}

/** @throws {ApiProblem} When the API refuses; `status` is 0 and the code `SUPERVISOR_UNREACHABLE` without an answer. */
export async function call<Id extends OperationId>(id: Id, input: CallInput<Id> = {}): Promise<OperationAnswer<Id>> {
  const response = await open(id, input);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return (isJson && text !== "" ? JSON.parse(text) : text) as OperationAnswer<Id>;
}

/** Like `call`, for answers that are read as they arrive. */
export async function open<Id extends OperationId>(id: Id, input: CallInput<Id> = {}): Promise<Response> {
  const { method, path } = findRoute(id);
  const response = await send(fillPath(path, { ...input.params }) + writeQuery({ ...input.query }), {
    method,
    headers: {
      accept: "application/json, application/x-ndjson;q=0.9, text/plain;q=0.8, application/problem+json",
      ...(input.body !== undefined && { "content-type": "application/json" }),
      ...authorization(),
    },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    signal: input.signal ?? null,
  });
  if (response.ok) return response;
  if (response.status === 401) forgetSession();
  throw new ApiProblem(response.status, await readProblem(response));
}

/** The lines of a streamed answer, as they arrive. */
export async function* readLines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiProblem(0, {
      detail: "ToolHive does not answer.",
      code: "SUPERVISOR_UNREACHABLE",
      hint: "The page reconnects automatically. If it does not, run: thv ui",
    });
  }
}

async function readProblem(response: Response): Promise<Partial<ProblemMembers>> {
  const text = await response.text().catch(() => "");
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Partial<ProblemMembers>) : { detail: text };
  } catch {
    return text === "" ? {} : { detail: text.trim().slice(0, 500) };
  }
}

function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(params[name])));
}

function writeQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
