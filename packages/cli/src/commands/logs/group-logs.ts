/** `thv logs` of a group: the lines of all its servers, each with the name of its server. */
import type { ApiClient } from "@toolhive/api/client";
import { describeError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";

interface AskedGroup {
  readonly id: "getProxyLogs" | "getWorkloadLogs";
  readonly names: readonly string[];
  readonly query: { readonly tail: string | undefined; readonly since: string | undefined };
  readonly showsTimes: boolean;
}

/** A line as the supervisor sends it with `timestamps`: the moment, a space, the text. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/s;

/** In the order of their times; what has none stays behind the line before it. */
export async function printLogsOfGroup(
  client: ApiClient,
  { id, names, query, showsTimes }: AskedGroup,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const all = names.map(async (name) => {
    const text = await client
      .call(id, { params: { name }, query: { ...query, timestamps: "true" } })
      .catch((error: unknown) => {
        terminal.info(`Warning: ${name}: ${describeError(error)}`);
        return "";
      });
    let at = "";
    return splitLines(text).map((line) => {
      const [, time, rest] = STAMPED.exec(line) ?? [];
      at = time ?? at;
      return { at, text: formatLine(name, showsTimes ? line : (rest ?? line), names) };
    });
  });
  const lines = (await Promise.all(all)).flat();
  // The sort is stable: lines of one server keep their order.
  lines.sort((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
  for (const { text } of lines) terminal.write(`${text}\n`);
}

/** Until the logs of all have ended, or Ctrl-C. */
export async function followLogsOfGroup(
  client: ApiClient,
  { id, names, query, showsTimes }: AskedGroup,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const follow = async (name: string) => {
    try {
      const timestamps = showsTimes ? "true" : undefined;
      const answer = await client.open(id, {
        params: { name },
        query: { ...query, timestamps, follow: "true" },
        signal,
      });
      answer.setEncoding("utf8");
      let rest = "";
      for await (const part of answer) {
        const parts = `${rest}${String(part)}`.split("\n");
        rest = parts.pop() ?? "";
        for (const line of parts) terminal.write(`${formatLine(name, line, names)}\n`);
      }
      if (rest !== "") terminal.write(`${formatLine(name, rest, names)}\n`);
      if (!signal.aborted) terminal.info(`The log of ${name} has ended.`);
    } catch (error) {
      if (!signal.aborted) terminal.info(`Warning: ${name}: ${describeError(error)}`);
    }
  };
  await Promise.all(names.map(follow));
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function formatLine(name: string, line: string, names: readonly string[]): string {
  const width = Math.max(...names.map((each) => each.length));
  return `${name.padEnd(width)} | ${line}`;
}
