/**
 * The server that the conformance suite expects of revisions with sessions, written on the official SDK 1.x.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { ASKING_PROMPT, askingPrompt, askingTools } from "./asking-tools.mjs";
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

const PAUSE_MS = 50;

/** @param {Server} server */
function createTools(server) {
  /** Asks the client's user and returns what came back. */
  async function elicit(context, message, requestedSchema, prefix) {
    const answer = await server.elicitInput({ message, requestedSchema }, { relatedRequestId: context.requestId });
    return said(`${prefix}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
  }

  return {
    ...PLAIN_TOOLS,
    ...askingTools(server),
    test_tool_with_logging: {
      run: async (_, context) => {
        for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
          await context.sendNotification({ method: "notifications/message", params: { level: "info", data } });
          await delay(PAUSE_MS);
        }
        return said("Logged three messages.");
      },
    },
    test_tool_with_progress: {
      run: async (_, context) => {
        const progressToken = context._meta?.progressToken;
        for (const progress of [0, 50, 100]) {
          const params = { progressToken, progress, total: 100 };
          if (progressToken !== undefined) {
            await context.sendNotification({ method: "notifications/progress", params });
          }
          await delay(PAUSE_MS);
        }
        return said("Progressed to the end.");
      },
    },
    test_sampling: {
      inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
      run: async ({ prompt }, context) => {
        const ask = { messages: [user(text(prompt))], maxTokens: 100 };
        const { content } = await server.createMessage(ask, { relatedRequestId: context.requestId });
        return said(`LLM response: ${content.type === "text" ? content.text : ""}`);
      },
    },
    test_elicitation: {
      inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
      run: ({ message }, context) => {
        const properties = {
          username: { type: "string", description: "User's response" },
          email: { type: "string", description: "User's email address" },
        };
        const schema = { type: "object", properties, required: ["username", "email"] };
        return elicit(context, message, schema, "User response");
      },
    },
    test_elicitation_sep1034_defaults: {
      run: (_, context) => {
        const properties = {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        };
        return elicit(context, "Check the defaults.", { type: "object", properties }, "Elicitation completed");
      },
    },
    test_elicitation_sep1330_enums: {
      run: (_, context) => {
        const options = ["option1", "option2", "option3"];
        const titled = ["First", "Second", "Third"].map((title, n) => ({
          const: `value${n + 1}`,
          title: `${title} Option`,
        }));
        const choices = ["First", "Second", "Third"].map((title, n) => ({
          const: `value${n + 1}`,
          title: `${title} Choice`,
        }));
        const properties = {
          untitledSingle: { type: "string", enum: options },
          titledSingle: { type: "string", oneOf: titled },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: { type: "array", items: { type: "string", enum: options } },
          titledMulti: { type: "array", items: { anyOf: choices } },
        };
        return elicit(context, "Check the choices.", { type: "object", properties }, "Elicitation completed");
      },
    },
  };
}

/** One server, for one client on stdio or one session on HTTP. */
export function createSessionFixture() {
  const server = new Server(
    { name: "conformance-fixture", version: "1.0.0" },
    { capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} } },
  );
  const TOOLS = createTools(server);
  server.setRequestHandler(ListToolsRequestSchema, () => listTools(TOOLS));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, context) => {
    const tool = TOOLS[params.name];
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `unknown tool ${params.name}`);
    return await tool.run(params.arguments ?? {}, context);
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => listPrompts([ASKING_PROMPT]));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, context) => {
    if (params.name === ASKING_PROMPT) return await askingPrompt(server, context);
    const prompt = getPrompt(params);
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `unknown prompt ${params.name}`);
    return prompt;
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => listResources());
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => listResourceTemplates());
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const resource = readResource(uri);
    if (resource === undefined) throw new McpError(ErrorCode.InvalidParams, "Resource not found", { uri });
    return resource;
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(CompleteRequestSchema, () => COMPLETION);

  return server;
}
