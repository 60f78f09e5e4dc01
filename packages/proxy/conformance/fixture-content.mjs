/**
 * What the conformance suite expects of every server, whatever its revision: plain tools, prompts and resources.
 */

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A header without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
export const text = (/** @type {string} */ value) => ({ type: "text", text: value });
export const said = (/** @type {string} */ value) => ({ content: [text(value)] });
export const user = (/** @type {unknown} */ content) => ({ role: "user", content });
const NO_ARGUMENTS = { type: "object", properties: {} };

export const PLAIN_TOOLS = {
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
  test_error_handling: {
    run: () => ({ isError: true, content: [text("This tool intentionally returns an error for testing")] }),
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

/** @param {Record<string, { inputSchema?: object }>} tools */
export function listTools(tools) {
  return {
    tools: Object.entries(tools).map(([name, { inputSchema = NO_ARGUMENTS }]) => ({
      name,
      description: `The conformance suite's tool ${name}.`,
      inputSchema,
    })),
  };
}

/** @param {string[]} more Names of prompts that the server adds. */
export function listPrompts(more = []) {
  const own = Object.entries(PROMPTS).map(([name, { arguments: names = [] }]) => ({ name, names }));
  return {
    prompts: [...own, ...more.map((name) => ({ name, names: [] }))].map(({ name, names }) => ({
      name,
      description: `The conformance suite's prompt ${name}.`,
      arguments: names.map((argument) => ({ name: argument, description: argument, required: true })),
    })),
  };
}

/** @returns `undefined` when there is no such prompt. */
export function getPrompt({ name, arguments: given = {} }) {
  const prompt = PROMPTS[name];
  return prompt === undefined ? undefined : { messages: prompt.run(given) };
}

export function listResources() {
  return {
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, description: uri, mimeType })),
  };
}

export function listResourceTemplates() {
  return { resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", description: "By id." }] };
}

/** @returns `undefined` when there is no such resource. */
export function readResource(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  }
  const resource = RESOURCES[uri];
  return resource === undefined ? undefined : { contents: [{ uri, ...resource }] };
}

export const COMPLETION = { completion: { values: ["paris"], total: 1, hasMore: false } };
