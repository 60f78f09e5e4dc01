/** The table of what the protocol leaves to servers, and what a client gets on each way to them. */
import { LATITUDE_CHOICES, LATITUDE_WAYS, type LatitudeChoice, type LatitudeWay } from "@toolhive/cli/facts/latitude";
import { describeDifferences } from "./describe-differences.ts";
import { blocks, code, table } from "./markdown.ts";

const TRANSPORTS: Readonly<Record<LatitudeChoice["transport"], string>> = {
  "streamable-http": "Streamable HTTP",
  sse: "HTTP with SSE",
  "without-sessions": "Revision 2026-07-28, without sessions",
  stdio: "stdio",
};

const WAYS: Readonly<Record<Exclude<LatitudeWay, "direct">, string>> = {
  command: code("thv mcp"),
  check: "the check at a start",
  remote: code("thv run URL"),
  proxy: code("thv proxy"),
  runner: "the operator's proxy",
  container: "an HTTP container",
  stdio: "a stdio container",
  group: "a group",
};

export function latitudeBlocks(choices: readonly LatitudeChoice[] = LATITUDE_CHOICES): string {
  const tries = choices.reduce((sum, { transport }) => sum + countWays(transport), 0);
  const differing = choices.reduce((sum, { differences }) => sum + differences.length, 0);
  return blocks(
    "## Choices of servers {#choices}",
    `The specification leaves much to servers, and some servers do what it leaves open. Each row is one such choice. For each, a small server makes that choice, and the official TypeScript client connects to it: first directly, then on each way through ToolHive. Of ${choices.length} choices on ${tries} ways, ${tries - differing} give the client what it gets directly. The other ${differing} have their reasons in the last column. The unit tests run the whole table.`,
    ...Object.entries(TRANSPORTS).map(([transport, title]) =>
      transportTable(transport as LatitudeChoice["transport"], title, choices),
    ),
  );
}

function transportTable(
  transport: LatitudeChoice["transport"],
  title: string,
  choices: readonly LatitudeChoice[],
): string {
  const ways = LATITUDE_WAYS[transport].filter((way) => way !== "direct").map((way) => WAYS[way]);
  return blocks(
    `### Choices of servers: ${title} {#choices-${transport}}`,
    `Ways through ToolHive: ${ways.join(", ")}.`,
    table(
      ["Revision", "Keyword", "Section", "Choice", "Directly", "Through ToolHive"],
      choices
        .filter((choice) => choice.transport === transport)
        .map((choice) => [
          choice.revision,
          choice.keyword,
          choice.section,
          choice.choice,
          describeResult(choice.direct),
          describeDifferences(choice.differences, WAYS),
        ]),
    ),
  );
}

function countWays(transport: LatitudeChoice["transport"]): number {
  return LATITUDE_WAYS[transport].length - 1;
}

/** @param result What the test's client found. */
function describeResult(result: string): string {
  const [, fails] = /\bfails with (-?\d+)$/.exec(result) ?? [];
  const [, answer] = /\b((?:GET|DELETE) \d+)$/.exec(result) ?? [];
  if (fails !== undefined) return `Error ${fails}`;
  return answer === undefined ? "Works" : `Works, ${answer}`;
}
