/**
 * The server that the conformance suite expects of revision 2026-07-28, written on the official SDK 2.x.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import {
  COMPLETION,
  getPrompt,
  listPrompts,
  listResources,
  listResourceTemplates,
  listTools,
  PLAIN_TOOLS,
  readResource,
  said,
  text,
  user,
} from "./fixture-content.mjs";

const state = createRequestStateCodec({ key: "a key that only this fixture has, of 32 bytes and more" });

const elicitation = (message, properties) => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties, required: Object.keys(properties) } },
});
const sampling = (question, maxTokens) => ({
  method: "sampling/createMessage",
  params: { messages: [user(text(question))], maxTokens },
});
const ROOTS = { method: "roots/list", params: {} };
const ASK_NAME = elicitation("What is your name?", { name: { type: "string" } });

/** Asks once; with the answers the tool is done. */
const askOnce = (inputRequests, finish, minted) => ({
  run: async (_, { mcpReq }) => {
    const given = mcpReq.inputResponses ?? {};
    const isComplete = Object.keys(inputRequests).every((key) => isAnswer(given[key]));
    if (isComplete) return said(finish(given, mcpReq));
    const requestState = minted === undefined ? undefined : await state.mint(minted);
    return inputRequired({ inputRequests, ...(requestState !== undefined && { requestState }) });
  },
});

/** An elicitation that was accepted with content, or any other answer that is an object. */
function isAnswer(answer) {
  if (typeof answer !== "object" || answer === null) return false;
  return !("action" in answer) || answer.action !== "accept" || typeof answer.content === "object";
}

const TOOLS = {
  ...PLAIN_TOOLS,
  test_tool_with_progress: {
    run: async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 };
        if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
        await delay(50);
      }
      return said("Progressed to the end.");
    },
  },
  test_logging_tool: {
    run: async (_, { mcpReq }) => {
      await mcpReq.log("info", "A message of the tool.");
      return said("Logged.");
    },
  },
  test_missing_capability: askOnce({ question: sampling("Anything?", 10) }, () => "done"),
  test_streaming_elicitation: askOnce({ user_name: ASK_NAME }, () => "done"),
  test_input_required_result_elicitation: askOnce(
    { user_name: ASK_NAME },
    ({ user_name }) => `Hello, ${user_name.content?.name}!`,
  ),
  test_input_required_result_sampling: askOnce(
    { capital_question: sampling("What is the capital of France?", 100) },
    ({ capital_question }) => capital_question.content?.text ?? "",
  ),
  test_input_required_result_list_roots: askOnce({ client_roots: ROOTS }, ({ client_roots }) =>
    client_roots.roots.map(({ uri }) => uri).join(", "),
  ),
  test_input_required_result_request_state: askOnce(
    { confirm: elicitation("Please confirm", { ok: { type: "boolean" } }) },
    (_, { requestState }) => (requestState()?.flow === "confirm" ? "state-ok" : "state lost"),
    { flow: "confirm" },
  ),
  test_input_required_result_multiple_inputs: askOnce(
    { user_name: ASK_NAME, greeting: sampling("Generate a greeting", 50), client_roots: ROOTS },
    () => "All three were answered.",
    { flow: "multiple" },
  ),
  test_input_required_result_tampered_state: askOnce(
    { confirm: elicitation("Please confirm", { ok: { type: "boolean" } }) },
    () => "untouched",
    { flow: "tampered" },
  ),
  test_input_required_result_multi_round: {
    run: async (_, { mcpReq }) => {
      const round = mcpReq.requestState()?.round ?? 0;
      const given = mcpReq.inputResponses ?? {};
      if (round === 2 && isAnswer(given.step2)) return said("Both steps were answered.");
      const next = round === 1 && isAnswer(given.step1) ? 2 : 1;
      const ask =
        next === 1
          ? { step1: elicitation("Step 1: What is your name?", { name: { type: "string" } }) }
          : { step2: elicitation("Step 2: What is your favorite color?", { color: { type: "string" } }) };
      return inputRequired({ inputRequests: ask, requestState: await state.mint({ round: next }) });
    },
  },
  test_input_required_result_capabilities: {
    run: (_, { mcpReq }) => {
      const declared = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
      const all = { elicitation: ASK_NAME, sampling: sampling("Anything?", 10), roots: ROOTS };
      const possible = Object.entries(all).filter(([capability]) => capability in declared);
      if (mcpReq.inputResponses !== undefined || possible.length === 0) return said("Nothing left to ask.");
      return inputRequired({ inputRequests: Object.fromEntries(possible) });
    },
  },
  test_custom_headers: {
    inputSchema: {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        priority: { type: "integer", "x-mcp-header": "Priority" },
        verbose: { type: "boolean", "x-mcp-header": "Verbose" },
      },
    },
    run: () => said("ok"),
  },
  test_trigger_tool_change: {
    run: async (_, __, { server, notify }) => {
      if (notify === undefined) await server.sendToolListChanged();
      else notify.toolsChanged();
      return said("Changed.");
    },
  },
  test_trigger_prompt_change: {
    run: async (_, __, { server, notify }) => {
      if (notify === undefined) await server.sendPromptListChanged();
      else notify.promptsChanged();
      return said("Changed.");
    },
  },
};
const ASKING_PROMPT = "test_input_required_result_prompt";

/**
 * @param {import("@modelcontextprotocol/server").ServerNotifier} [notify] Notifies subscribers on HTTP, where a server lives for
 *   one request; on stdio the server notifies them itself.
 */
export function createModernFixture(notify) {
  const server = new Server(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: {},
        logging: {},
        completions: {},
      },
      requestState: { verify: state.verify },
    },
  );
  server.setRequestHandler("tools/list", () => listTools(TOOLS));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = TOOLS[params.name];
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${params.name}`);
    return await tool.run(params.arguments ?? {}, context, { server, notify });
  });
  server.setRequestHandler("prompts/list", () => listPrompts([ASKING_PROMPT]));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    if (params.name === ASKING_PROMPT) {
      const question = elicitation("What context should the prompt use?", { context: { type: "string" } });
      const answer = mcpReq.inputResponses?.user_context;
      if (!isAnswer(answer)) return inputRequired({ inputRequests: { user_context: question } });
      return { messages: [user(text(`In the context of ${answer.content?.context}.`))] };
    }
    const prompt = getPrompt(params);
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown prompt ${params.name}`);
    return prompt;
  });
  server.setRequestHandler("resources/list", () => listResources());
  server.setRequestHandler("resources/templates/list", () => listResourceTemplates());
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const resource = readResource(uri);
    if (resource === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Resource not found", { uri });
    return resource;
  });
  server.setRequestHandler("completion/complete", () => COMPLETION);
  return server;
}
