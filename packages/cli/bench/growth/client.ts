/** A client in a process of its own, whose work is not counted: the bench sends it commands over the channel of the fork. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";

/** What the client is asked to do. Each is answered once, when it is done. */
export type ClientTask =
  /** Opens so many sessions, or ends all of them with 0. */
  | { readonly do: "open"; readonly port: number; readonly sessions: number }
  /** Opens a stream of each session. */
  | { readonly do: "listen" }
  /** Sends a request in each session; `tool` gives each its own, in turn. */
  | { readonly do: "ask"; readonly method: string; readonly tools?: readonly string[]; readonly times?: number }
  /** Calls `tool` in the first session, and waits until each stream has had an event more. */
  | { readonly do: "change"; readonly tool: string }
  | { readonly do: "get"; readonly port: number; readonly paths: readonly string[] };

export class BenchClient implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(program: string) {
    this.#child = fork(program, ["client"], { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  async do(task: ClientTask): Promise<void> {
    this.#child.send(task);
    const [problem] = await once(this.#child, "message");
    if (problem !== "done") throw new Error(String(problem));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, "exit");
  }
}

const REVISION = "2025-06-18";
/** Requests at a time. */
const AT_ONCE = 8;

interface Session {
  readonly port: number;
  readonly id: string;
  events: number;
  onEvent: () => void;
}

/** Runs in the client's process, until its channel is closed. */
export function serveClient(): void {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const streams = new Agent({ keepAlive: false });
  const sessions: Session[] = [];

  const send = (options: object, body: string | undefined): Promise<{ text: string; session: string | undefined }> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", agent, ...options }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        response.once("end", () => {
          if ((response.statusCode ?? 0) >= 300 || text.includes('"error":'))
            reject(new Error(`${response.statusCode} ${text.slice(0, 300)}`));
          else resolve({ text, session: String(response.headers["mcp-session-id"]) });
        });
      });
      sent.once("error", (error) => {
        // The server ended the connection between two runs, just as it was used again.
        if (sent.reusedSocket && "code" in error && error.code === "ECONNRESET") resolve(send(options, body));
        else reject(error);
      });
      sent.end(body);
    });
  const createHeaders = (id?: string) => ({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(id !== undefined && { "mcp-session-id": id, "mcp-protocol-version": REVISION }),
  });
  const post = async (port: number, message: object, id?: string) =>
    await send(
      { port, method: "POST", path: "/mcp", headers: createHeaders(id) },
      JSON.stringify({ jsonrpc: "2.0", ...message }),
    );
  const inTurn = async <T>(items: readonly T[], work: (item: T, index: number) => Promise<unknown>) => {
    let next = 0;
    const worker = async () => {
      while (next < items.length) {
        const index = next++;
        await work(items[index] as T, index);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  };
  const open = async (port: number) => {
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "growth", version: "1" } };
    const { session = "" } = await post(port, { id: 0, method: "initialize", params });
    await post(port, { method: "notifications/initialized" }, session);
    sessions.push({ port, id: session, events: 0, onEvent: () => undefined });
  };
  const listen = (session: Session): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { ...createHeaders(session.id), accept: "text/event-stream" };
      const sent = request({ host: "127.0.0.1", port: session.port, path: "/mcp", headers, agent: streams });
      sent.once("response", (response) => {
        response.on("error", () => undefined);
        response.setEncoding("utf8").on("data", (text: string) => {
          if (!text.includes("list_changed")) return;
          session.events += 1;
          session.onEvent();
        });
        resolve();
      });
      sent.once("error", reject);
      sent.end();
    });
  const awaitEvent = (session: Session, seen: number): Promise<void> =>
    new Promise((resolve) => {
      session.onEvent = () => {
        if (session.events > seen) resolve();
      };
      session.onEvent();
    });

  const run = async (task: ClientTask): Promise<void> => {
    if (task.do === "get") {
      await inTurn(task.paths, (path) => send({ port: task.port, path }, undefined));
      return;
    }
    if (task.do === "listen") {
      await inTurn(sessions, listen);
      return;
    }
    if (task.do === "open") {
      const ended = sessions.splice(0);
      await inTurn(ended, ({ port, id }) =>
        send({ port, method: "DELETE", path: "/mcp", headers: createHeaders(id) }, undefined),
      );
      await inTurn(Array.from({ length: task.sessions }), () => open(task.port));
      return;
    }
    if (task.do === "change") {
      const waiting = sessions.map((session) => awaitEvent(session, session.events));
      const [first] = sessions;
      if (first === undefined) throw new Error("There is no session.");
      await post(first.port, { id: 1, method: "tools/call", params: { name: task.tool } }, first.id);
      await Promise.all(waiting);
      return;
    }
    const { method, tools = [undefined], times = 1 } = task;
    const asked = sessions.flatMap((session) =>
      Array.from({ length: times * tools.length }, (_, index) => ({ session, tool: tools[index % tools.length] })),
    );
    await inTurn(asked, async ({ session, tool }, index) => {
      const params = tool === undefined ? {} : JSON.parse(tool);
      await post(session.port, { id: index + 2, method, params }, session.id);
    });
  };
  process.on("message", (task: ClientTask) => {
    run(task).then(
      () => process.send?.("done"),
      (error) => process.send?.(String(error)),
    );
  });
  process.on("disconnect", () => process.exit());
}
