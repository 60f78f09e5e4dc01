/** Why a server that runs is not understood, or not reached, from what it wrote. */

export interface Explanation {
  /** The end of a sentence about the server. */
  readonly what: string;
  readonly hint: string;
}

/** Members of a message. A whole one of them would have been read. */
const PART_OF_MESSAGE = /^\s*"(?:jsonrpc|id|result|method|params|error)"\s*:/;
const OPENING = /^\s*[[{]\s*$/;
const TEXT_BEFORE_MESSAGE = /^[^{]{1,2000}\{.{0,2000}"jsonrpc"\s*:/;
const MARK_BEFORE_MESSAGE = /^\uFEFF\{.{0,2000}"jsonrpc"\s*:/;
const HEADER = /^Content-Length:\s*\d/i;

/** @param strays Lines of its standard output that are no messages, oldest first. */
export function explainUnreadableOutput(strays: readonly string[]): Explanation | undefined {
  const lines = strays.map((line) => line.replace(/^\uFEFF/, ""));
  if (lines.some((line) => PART_OF_MESSAGE.test(line)) && lines.some((line) => OPENING.test(line))) {
    return {
      what: "it writes its messages over several lines",
      hint: "On stdio, each message must be one line: turn off in the server what makes JSON readable for people.",
    };
  }
  if (lines.some((line) => HEADER.test(line))) {
    return {
      what: "it writes a Content-Length before its messages, as language servers do",
      hint: "On stdio, each message must be one line and nothing else. Check whether the server has an option for MCP.",
    };
  }
  if (strays.some((line) => MARK_BEFORE_MESSAGE.test(line))) {
    return {
      what: "it writes a byte order mark before its messages",
      hint: "On stdio, each message must be one line of UTF-8 without that mark: have the server write UTF-8 without it.",
    };
  }
  if (lines.some((line) => TEXT_BEFORE_MESSAGE.test(line))) {
    return {
      what: "it writes other text into the line of a message",
      hint: "On stdio, each message must be one line. Have the server write all other text to its standard error.",
    };
  }
  return undefined;
}

/** What programs write once they listen, with the address. */
const LISTENING =
  /\b(?:listen|running|serving|started|server|available|ready)\w*\b.{0,80}?(?<host>127\.\d+\.\d+\.\d+|localhost|\[::1\]|::1|0\.0\.0\.0|\[::\])['"]?(?::|,?\s(?:['"]?port['"]?\s?[:=]?\s?)?)(?<port>\d{2,5})\b/i;
const LOOPBACK = /^(?:127\.|localhost$|\[?::1\]?$)/;

/** @param lines What a server on stdio wrote, oldest first. */
export function explainWrongTransport(lines: readonly string[]): Explanation | undefined {
  const port = findListening(lines)?.port;
  if (port === undefined) return undefined;
  return {
    what: `it wrote that it listens on port ${port}, so it seems to speak HTTP`,
    hint: `Run it with --transport streamable-http --target-port ${port}, or start it with its option for stdio.`,
  };
}

/** @param lines What a server that speaks HTTP wrote, oldest first. @param port Where it is expected, in its container. */
export function explainUnreachable(lines: readonly string[], port: number | undefined): Explanation | undefined {
  const found = findListening(lines);
  if (found === undefined) return undefined;
  if (LOOPBACK.test(found.host)) {
    return {
      what: `it wrote that it listens on ${found.host}:${found.port}, which nothing outside its container reaches`,
      hint: "Have it listen on 0.0.0.0, often with --host 0.0.0.0 behind --, or with a variable such as HOST=0.0.0.0.",
    };
  }
  if (port === undefined || String(port) === found.port) return undefined;
  return {
    what: `it wrote that it listens on port ${found.port}, and is expected on port ${port}`,
    hint: `Run it with --target-port ${found.port}.`,
  };
}

/** The last one counts: programs say before that they are about to. */
function findListening(lines: readonly string[]): { readonly host: string; readonly port: string } | undefined {
  for (const line of [...lines].reverse()) {
    const { host, port } = LISTENING.exec(line)?.groups ?? {};
    if (host !== undefined && port !== undefined) return { host, port };
  }
  return undefined;
}
