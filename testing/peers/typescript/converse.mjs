/** What every client says to every server, step by step. A step that fails is its error, and the next one is still taken. */

/** Times that a call is repeated whose notification did not arrive, because a stream for it is opened beside the calls. */
const MAX_REPEATS = 40;
const PAUSE_MS = 100;

/**
 * @param open Opens a connection; its `heard` has each message of the server.
 * @returns Results by step. A step that neither side can take is left out.
 */
export async function converse(open) {
  const results = {};
  const take = async (step, work) => {
    try {
      const result = await work();
      if (result !== undefined) results[step] = result;
    } catch (error) {
      results[step] = { error: typeof error.code === "number" ? error.code : String(error.message ?? error) };
    }
  };
  let peer;
  await take("initialize", async () => {
    peer = await open();
    return peer.describe();
  });
  if (peer === undefined) return results;
  const tools = new Set();
  await take("tools", async () => {
    const listed = await peer.client.listTools();
    for (const { name } of listed.tools) tools.add(name);
    return listed.tools;
  });
  await take("prompts", async () => (await peer.client.listPrompts()).prompts);
  await take("resources", async () => (await peer.client.listResources()).resources);
  await take("prompt", async () => (await peer.client.getPrompt({ name: "greet" })).messages);
  await take("resource", async () => (await peer.client.readResource({ uri: "memo://one" })).contents);
  await take("call", async () => await callTool(peer, "echo", { text: "hi \u00e9\u2028" }));
  await take("progress", async () => {
    const values = [];
    peer.onMessage = ({ method, params }) => method === "notifications/progress" && values.push(params.progress);
    const content = await callTool(peer, "count", {}, { onprogress: () => {} });
    return { values, content };
  });
  if (tools.has("notify"))
    await take("notification", async () => await waitForNotification(peer, "notify", "notifications/message"));
  if (peer.listen !== undefined) await take("subscription", async () => await peer.listen());
  if (tools.has("grow"))
    await take("list changed", async () => {
      const heard = await waitForNotification(peer, "grow", "notifications/tools/list_changed");
      const listed = await peer.client.listTools();
      return { heard, tools: listed.tools.map(({ name }) => name).sort() };
    });
  if (tools.has("poll")) await take("resume", async () => await callTool(peer, "poll", {}));
  await take("ping", async () => {
    if (!peer.hasPing) return undefined;
    await peer.client.ping();
    return "answered";
  });
  await take("reconnect", async () => {
    const other = await open();
    try {
      return await callTool(other, "echo", { text: "again" });
    } finally {
      await other.client.close();
    }
  });
  await take("close", async () => await peer.close());
  return results;
}

async function callTool(peer, name, args, options, meta) {
  return (await peer.callTool({ name, arguments: args, ...(meta && { _meta: meta }) }, options)).content;
}

/** Calls a tool until the server's notification has come. @returns The notification, or that the server sends none. */
async function waitForNotification(peer, tool, method) {
  let heard;
  peer.onMessage = (message) => {
    if (message.method === method) heard ??= message.params?.data ?? "heard";
  };
  for (let count = 0; count < MAX_REPEATS; count += 1) {
    const [{ text }] = await callTool(peer, tool, {}, undefined, peer.meta);
    if (text === "none") return "none sent";
    await new Promise((resolve) => setTimeout(resolve, heard === undefined ? PAUSE_MS : 0));
    if (heard !== undefined) return heard;
  }
  return "not heard";
}

/** Shows each message of the server to `onMessage` before the client has it. */
export function tap(transport, onMessage) {
  let inner;
  Object.defineProperty(transport, "onmessage", {
    get: () =>
      inner &&
      ((message, extra) => {
        onMessage(message);
        inner(message, extra);
      }),
    set: (value) => {
      inner = value;
    },
    configurable: true,
  });
}

/** Ends a session, and asks for a list in it. @returns The statuses of both. */
export async function endSession(client, transport, url) {
  const session = transport.sessionId;
  if (session === undefined || transport.terminateSession === undefined) {
    await client.close();
    return "closed";
  }
  const ended = await transport.terminateSession().then(
    () => "ended",
    (error) => ({ error: error.code ?? String(error) }),
  );
  await client.close();
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": session,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  await response.body?.cancel();
  return { session: ended, after: response.status };
}
