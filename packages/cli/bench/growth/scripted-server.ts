/** An MCP server on stdio within this process, as small as one can be; what it costs is part of each call, whatever the size. */
import { PassThrough } from "node:stream";

/** Calling it changes the list of tools. */
export const CHANGING_TOOL = "change";

export class ScriptedServer {
  readonly stdin = new PassThrough({ encoding: "utf8" });
  readonly stdout = new PassThrough();
  readonly #tools: string;
  #rest = "";

  /** @param tools How many it has, besides {@link CHANGING_TOOL}. */
  constructor(tools: number) {
    this.#tools = JSON.stringify([...Array.from({ length: tools }, (_, index) => createTool(index)), CHANGING]);
    this.stdin.on("data", (text: string) => this.#receive(text));
  }

  announceChange(): void {
    this.stdout.write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n');
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#answer(line);
  }

  #answer(line: string): void {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    this.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${this.#createResult(method, params)}}\n`);
    if (method === "tools/call" && params.name === CHANGING_TOOL) this.announceChange();
  }

  #createResult(method: string, params: { readonly protocolVersion?: string }): string {
    if (method === "initialize")
      return JSON.stringify({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "scripted", version: "1.0.0" },
      });
    if (method === "tools/list") return `{"tools":${this.#tools}}`;
    return method === "tools/call" ? '{"content":[{"type":"text","text":"done"}]}' : "{}";
  }
}

export function nameTool(index: number): string {
  return `tool_${index}`;
}

const SUBJECTS = ["issue", "page", "file", "message", "branch", "table", "note", "event", "invoice", "map"];
const ACTS = ["create", "list", "delete", "search", "update", "export", "compare", "copy", "rename", "archive"];

function createTool(index: number) {
  const subject = SUBJECTS[index % SUBJECTS.length];
  const act = ACTS[Math.floor(index / SUBJECTS.length) % ACTS.length];
  return {
    name: nameTool(index),
    description: `Use it to ${act} the ${subject} of project ${index}. It returns what has changed, and when.`,
    inputSchema: {
      type: "object",
      properties: {
        [`${subject}_id`]: { type: "string", description: `Which ${subject}.` },
        limit: { type: "integer", minimum: 1, description: "At most so many." },
      },
      required: [`${subject}_id`],
    },
  };
}

const CHANGING = { name: CHANGING_TOOL, inputSchema: { type: "object" } };
