/** What a tool answers, as text for a person. */

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly resource?: {
    readonly uri?: string;
    readonly text?: string;
    readonly blob?: string;
    readonly mimeType?: string;
  };
}

export interface ToolResult {
  readonly content?: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** A line or more for each part; what is no text is named with its type and size. */
export function formatResult({ content = [], structuredContent }: ToolResult): string {
  if (content.length > 0) return content.map(formatContent).join("\n");
  return structuredContent === undefined ? "The answer is empty." : JSON.stringify(structuredContent, null, 2);
}

function formatContent({ type, text, data, mimeType, uri, resource }: Content): string {
  if (type === "text") return text ?? "";
  if (type === "resource_link") return `[link: ${uri}]`;
  if (type === "resource") return resource?.text ?? describe(resource?.uri ?? type, resource?.mimeType, resource?.blob);
  return describe(type, mimeType, data);
}

/** @param data In Base64. */
function describe(what: string, mimeType = "unknown type", data = ""): string {
  return `[${what}: ${mimeType}, ${Buffer.byteLength(data, "base64")} bytes]`;
}
