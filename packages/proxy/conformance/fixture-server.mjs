/**
 * The server that the official conformance suite expects, on stdio, written on the official SDK 1.x: every tool, prompt
 * and resource the suite names, and nothing else.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
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

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A header without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const PAUSE_MS = 50;

const server = new Server(
  { name: "conformance-fixture", version: "1.0.0" },
  { capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} } },
);

const text = (/** @type {string} */ value) => ({ type: "text", text: value });
const said = (/** @type {string} */ value) => ({ content: [text(value)] });
const user = (/** @type {unknown} */ content) => ({ role: "user", content });
const NO_ARGUMENTS = { type: "object", properties: {} };

/** Asks the client's user and tells what came back. */
async function elicit(context, message, requestedSchema, prefix) {
  const answer = await server.elicitInput({ message, requestedSchema }, { relatedRequestId: context.requestId });
  return said(`${prefix}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
}

const TOOLS = {
  test_simple_text: { run: () => said("This is a simple text response for testing.") },
  test_image_content: { run: () => ({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] }) },
  test_audio_content: { run: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }) },
  test_embedded_resource: {
    run: () => ({
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        text("Multiple content types test:"),
        { type: "image", data: PNG, mimeType: "image/png" },
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    run: async (_, context) => {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await context.sendNotification({ method: "notifications/message", params: { level: "info", data } });
        await delay(PAUSE_MS);
      }
      return said("Logged three messages.");
    },
  },
  test_error_handling: {
    run: () => ({ isError: true, content: [text("This tool intentionally returns an error for testing")] }),
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
    run: async ({ prompt }) => {
      const { content } = await server.createMessage({ messages: [user(text(prompt))], maxTokens: 100 });
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
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: () => said("ok"),
  },
};

const PROMPTS = {
  test_simple_prompt: { run: () => [user(text("This is a simple prompt for testing."))] },
  test_prompt_with_arguments: {
    arguments: ["arg1", "arg2"],
    run: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: ["resourceUri"],
    run: ({ resourceUri: uri }) => [
      user({
        type: "resource",
        resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      }),
      user(text("Please process the embedded resource above.")),
    ],
  },
  test_prompt_with_image: {
    run: () => [
      user({ type: "image", data: PNG, mimeType: "image/png" }),
      user(text("Please analyze the image above.")),
    ],
  },
};

const RESOURCES = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched." },
};

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(TOOLS).map(([name, { inputSchema = NO_ARGUMENTS }]) => ({
    name,
    description: `The conformance suite's tool ${name}.`,
    inputSchema,
  })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }, context) => {
  const tool = TOOLS[params.name];
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `unknown tool ${params.name}`);
  return await tool.run(params.arguments ?? {}, context);
});
server.setRequestHandler(ListPromptsRequestSchema, () => ({
  prompts: Object.entries(PROMPTS).map(([name, { arguments: names = [] }]) => ({
    name,
    description: `The conformance suite's prompt ${name}.`,
    arguments: names.map((argument) => ({ name: argument, description: argument, required: true })),
  })),
}));
server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
  const prompt = PROMPTS[params.name];
  if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `unknown prompt ${params.name}`);
  return { messages: prompt.run(params.arguments ?? {}) };
});
server.setRequestHandler(ListResourcesRequestSchema, () => ({
  resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, description: uri, mimeType })),
}));
server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
  resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", description: "By id." }],
}));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  }
  const resource = RESOURCES[uri];
  if (resource === undefined) throw new McpError(ErrorCode.InvalidParams, "Resource not found", { uri });
  return { contents: [{ uri, ...resource }] };
});
server.setRequestHandler(SubscribeRequestSchema, () => ({}));
server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
server.setRequestHandler(SetLevelRequestSchema, () => ({}));
server.setRequestHandler(CompleteRequestSchema, () => ({
  completion: { values: ["paris"], total: 1, hasMore: false },
}));

await server.connect(new StdioServerTransport());
