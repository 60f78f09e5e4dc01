/** What is wrong with an answer of a server that the client's library does not take, in place of the text of its validators. */
import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { isRecord, parseJson } from "@toolhive/http/values";

const RESULT = /^Invalid result for (\S+): (.*)$/s;
const STRUCTURED = /^Structured content does not match the tool's output schema: (.*)$/s;
const SCHEMA = /\bschema is invalid\b|^can't resolve reference\b|^strict mode: /;
/** Characters of a path within an answer. */
const MAX_PATH = 100;

/** @returns A sentence without a full stop; `undefined` for any other error. */
export function describeUnusableAnswer(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, method = "", detail = ""] = RESULT.exec(error.message) ?? [];
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return `its answer to ${method || "a request"} is not as the protocol has it${describeIssue(detail)}`;
  }
  const structured = STRUCTURED.exec(error.message)?.[1];
  if (error instanceof ProtocolError && structured !== undefined) {
    const place = /^data(\/\S+)/.exec(structured)?.[1]?.slice(0, MAX_PATH);
    return `its structured content is not what the tool's output schema says${place ? `: see ${place}` : ""}`;
  }
  return SCHEMA.test(error.message) ? "the output schema of a tool is no valid JSON Schema" : undefined;
}

/** @param text The validator's list of issues, as JSON, or a sentence. */
function describeIssue(text: string): string {
  const issues = parseJson(text);
  const [issue] = Array.isArray(issues) ? issues : [];
  if (!isRecord(issue) || !Array.isArray(issue.path) || issue.path.length === 0) return "";
  const path = issue.path.join(".").slice(0, MAX_PATH);
  const received = /received (\w+)/.exec(String(issue.message))?.[1];
  if (received === "undefined") return `: "${path}" is missing`;
  return `: "${path}" ${received === undefined ? "is not allowed there" : `is of the type ${received}`}`;
}
