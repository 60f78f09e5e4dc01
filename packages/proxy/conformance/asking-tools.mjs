/**
 * What revision 2026-07-28 calls input that a result requires, asked the older way: the server's own requests while the
 * call is open. Behind the endpoint a client of 2026-07-28 meets them as results that require input.
 */
import { said, text, user } from "./fixture-content.mjs";

/** @typedef {import("@modelcontextprotocol/sdk/server/index.js").Server} Server */

export const ASKING_PROMPT = "test_input_required_result_prompt";

const NAME = { name: { type: "string" } };

/** @param {Server} server */
export function askingTools(server) {
  const ask = async (context, message, properties) => {
    const requestedSchema = { type: "object", properties, required: Object.keys(properties) };
    const { content } = await server.elicitInput({ message, requestedSchema }, { relatedRequestId: context.requestId });
    return content ?? {};
  };
  const sample = async (context, question, maxTokens) => {
    const params = { messages: [user(text(question))], maxTokens };
    const { content } = await server.createMessage(params, { relatedRequestId: context.requestId });
    return content.type === "text" ? content.text : "";
  };
  const listRoots = async (context) =>
    (await server.listRoots(undefined, { relatedRequestId: context.requestId })).roots.map(({ uri }) => uri).join(", ");
  const askName = (context) => ask(context, "What is your name?", NAME);
  const confirm = (context) => ask(context, "Please confirm", { ok: { type: "boolean" } });

  return {
    test_missing_capability: { run: async (_, context) => said(await sample(context, "Anything?", 10)) },
    test_streaming_elicitation: { run: async (_, context) => said(`Hello, ${(await askName(context)).name}!`) },
    test_logging_tool: {
      run: async (_, context) => {
        const params = { level: "info", data: "A message of the tool." };
        await context.sendNotification({ method: "notifications/message", params });
        return said("Logged.");
      },
    },
    test_input_required_result_elicitation: {
      run: async (_, context) => said(`Hello, ${(await askName(context)).name}!`),
    },
    test_input_required_result_sampling: {
      run: async (_, context) => said(await sample(context, "What is the capital of France?", 100)),
    },
    test_input_required_result_list_roots: { run: async (_, context) => said(await listRoots(context)) },
    test_input_required_result_request_state: {
      run: async (_, context) => said((await confirm(context)).ok === undefined ? "no answer" : "state-ok"),
    },
    test_input_required_result_tampered_state: {
      run: async (_, context) => {
        await confirm(context);
        return said("untouched");
      },
    },
    test_input_required_result_multiple_inputs: {
      run: async (_, context) => {
        await Promise.all([askName(context), sample(context, "Generate a greeting", 50), listRoots(context)]);
        return said("All three were answered.");
      },
    },
    test_input_required_result_multi_round: {
      run: async (_, context) => {
        await ask(context, "Step 1: What is your name?", NAME);
        await ask(context, "Step 2: What is your favorite color?", { color: { type: "string" } });
        return said("Both steps were answered.");
      },
    },
    test_input_required_result_capabilities: {
      run: async (_, context) => {
        const declared = server.getClientCapabilities() ?? {};
        const questions = [
          ...("elicitation" in declared ? [askName(context)] : []),
          ...("sampling" in declared ? [sample(context, "Anything?", 10)] : []),
          ...("roots" in declared ? [listRoots(context)] : []),
        ];
        // A client that the endpoint speaks for may lack what the endpoint declared.
        const asked = await Promise.allSettled(questions);
        return said(`${asked.filter(({ status }) => status === "fulfilled").length} were answered.`);
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
  };
}

/** @param {Server} server */
export async function askingPrompt(server, context) {
  const requestedSchema = { type: "object", properties: { context: { type: "string" } }, required: ["context"] };
  const question = { message: "What context should the prompt use?", requestedSchema };
  const answer = await server.elicitInput(question, { relatedRequestId: context.requestId });
  return { messages: [user(text(`In the context of ${answer.content?.context}.`))] };
}
