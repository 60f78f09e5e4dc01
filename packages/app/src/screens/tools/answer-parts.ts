/** The parts of an answer, each by its type. Servers write answers: a part of another form is shown as JSON. */
import { isRecord } from "@toolhive/http/values";

export type AnswerPart =
  | { readonly kind: "text"; readonly text: string; readonly from?: string }
  | { readonly kind: "image" | "audio"; readonly type: string; readonly data: string }
  | { readonly kind: "file"; readonly type: string; readonly data: string; readonly uri: string }
  | { readonly kind: "link"; readonly uri: string; readonly title: string; readonly description: string | undefined }
  | { readonly kind: "json"; readonly value: unknown };

export interface Answer {
  readonly parts: readonly AnswerPart[];
  readonly structured: unknown;
  readonly isError: boolean;
}

/** What a browser shows without running anything. */
const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const AUDIO = /^audio\/[a-z0-9.+-]{1,40}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** @param result Of `tools/call`, `prompts/get` or `resources/read`. */
export function readAnswer(result: unknown): Answer {
  if (!isRecord(result)) return { parts: [{ kind: "json", value: result }], structured: undefined, isError: false };
  const { content, messages, contents, structuredContent: structured, isError } = result;
  const parts = Array.isArray(content)
    ? content.map(readContent)
    : Array.isArray(messages)
      ? messages.map(readMessage)
      : Array.isArray(contents)
        ? contents.map(readResource)
        : structured === undefined
          ? [{ kind: "json" as const, value: result }]
          : [];
  return { parts, structured, isError: isError === true };
}

function readContent(content: unknown): AnswerPart {
  if (!isRecord(content)) return { kind: "json", value: content };
  const { type, text, data, mimeType, uri, resource, title, name, description } = content;
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if ((type === "image" || type === "audio") && typeof data === "string" && BASE64.test(data)) {
    const named = typeof mimeType === "string" ? mimeType.toLowerCase() : "";
    if ((type === "image" ? IMAGES : AUDIO).test(named)) return { kind: type, type: named, data };
    return { kind: "file", type: named, data, uri: "" };
  }
  if (type === "resource_link" && typeof uri === "string") {
    return { kind: "link", uri, title: takeText(title) ?? takeText(name) ?? "", description: takeText(description) };
  }
  if (type === "resource") return readResource(resource);
  return { kind: "json", value: content };
}

function readMessage(message: unknown): AnswerPart {
  if (!isRecord(message)) return { kind: "json", value: message };
  const part = readContent(message.content);
  return part.kind === "text" && typeof message.role === "string" ? { ...part, from: message.role } : part;
}

function readResource(resource: unknown): AnswerPart {
  if (!isRecord(resource)) return { kind: "json", value: resource };
  const { uri, text, blob, mimeType } = resource;
  const type = typeof mimeType === "string" ? mimeType.toLowerCase() : "";
  const from = takeText(uri) ?? "";
  if (typeof text === "string") return { kind: "text", text, from };
  if (typeof blob !== "string" || !BASE64.test(blob)) return { kind: "json", value: resource };
  if (IMAGES.test(type)) return { kind: "image", type, data: blob };
  if (AUDIO.test(type)) return { kind: "audio", type, data: blob };
  return { kind: "file", type, data: blob, uri: from };
}

/** @returns Bytes of a Base64 text. */
export function measureBase64(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor(((data.length - padding) * 3) / 4);
}

function takeText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
