/** How well tools of real servers are found, and how much less a client reads for it. */
import { TWO_TOOLS } from "../find/find-calls.ts";
import { type FindableTool, ToolIndex } from "../find/tool-index.ts";
import { assignNames } from "../group/catalog/names.ts";

/** Definitions as servers gave them, by the servers' names. */
export type FixtureServers = Readonly<
  Record<string, { readonly tools: readonly { readonly name: string; readonly [member: string]: unknown }[] }>
>;

/** What somebody wants to do, and the tools that do it, as `server/tool`. */
export interface FindTask {
  readonly task: string;
  readonly tools: readonly string[];
}

export interface FindMeasurement {
  readonly tools: number;
  readonly tasks: number;
  /** Tasks whose tool is the first one, among the first three, and among the first five. */
  readonly first: number;
  readonly firstThree: number;
  readonly firstFive: number;
  /** Bytes of all tools as a list, of the two in their place, and of an answer with five tools, on average. */
  readonly bytes: { readonly list: number; readonly twoTools: number; readonly answer: number };
  /** Tasks whose tool is not among the first three, with what was found. */
  readonly missed: readonly { readonly task: string; readonly found: readonly string[] }[];
}

/** Names as a group gives them. */
export function listFixtureTools(servers: FixtureServers): (FindableTool & { readonly key: string })[] {
  const offered = Object.entries(servers).map(([server, { tools }]) => ({
    server,
    names: tools.map(({ name }) => name),
  }));
  return assignNames(offered, "auto").flatMap(({ server, own, shown }) => {
    const tool = servers[server]?.tools.find(({ name }) => name === own);
    if (tool === undefined || shown === undefined) return [];
    return [{ key: `${server}/${own}`, server, name: shown, text: JSON.stringify({ ...tool, name: shown }) }];
  });
}

/** Something that finds tools: ours, or a peer of a benchmark. */
export interface ToolSearch {
  search(query: string, limit: number): readonly FindableTool[];
}

export function measureFinding(
  servers: FixtureServers,
  tasks: readonly FindTask[],
  createSearch: (tools: readonly FindableTool[]) => ToolSearch = (tools) => new ToolIndex(tools),
): FindMeasurement {
  const tools = listFixtureTools(servers);
  const keys = new Map(tools.map(({ name, key }) => [name, key]));
  const index = createSearch(tools);
  const results = tasks.map(({ task, tools: right }) => {
    const found = index.search(task, 5);
    const names = found.map(({ name }) => keys.get(name) ?? name);
    return { task, names, rank: names.findIndex((name) => right.includes(name)), bytes: measureAnswer(found) };
  });
  const count = (limit: number) => results.filter(({ rank }) => rank >= 0 && rank < limit).length;
  return {
    tools: tools.length,
    tasks: tasks.length,
    first: count(1),
    firstThree: count(3),
    firstFive: count(5),
    bytes: {
      list: Buffer.byteLength(`{"tools":[${tools.map(({ text }) => text).join(",")}]}`),
      twoTools: Buffer.byteLength(JSON.stringify({ tools: TWO_TOOLS })),
      answer: Math.round(results.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, results.length)),
    },
    missed: results
      .filter(({ rank }) => rank < 0 || rank > 2)
      .map(({ task, names }) => ({ task, found: names.slice(0, 3) })),
  };
}

function measureAnswer(found: readonly FindableTool[]): number {
  const tools = found.map(({ text }) => {
    const { name, description, inputSchema } = JSON.parse(text);
    return { name, description, inputSchema };
  });
  return Buffer.byteLength(JSON.stringify({ tools }));
}
