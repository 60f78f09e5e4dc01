/** `thv mcp list`, `thv mcp list tools`, `resources` and `prompts` */
import type { Client, Prompt } from "@modelcontextprotocol/client";
import { describeError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { shorten } from "@toolhive/http/values";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { connectFailure, connectMcp } from "../../mcp/connection.ts";
import { Progress } from "../../terminal/progress.ts";
import { showText } from "../../terminal/shown-text.ts";
import { fitTable, reportLeftOut } from "../../terminal/table.ts";
import type { FormatInput } from "../print-outcome.ts";
import type { MCP_LIST } from "./definition.ts";
import { findServerAddress } from "./server-address.ts";

/** Characters of a cell; the whole text is in the JSON. */
const MAX_CELL = 80;

type Kind = "prompts" | "resources" | "tools";
type Item = Readonly<Record<string, unknown>> & { readonly name: string };

interface KindOfThing {
  readonly header: readonly string[];
  /** Reads all pages. */
  readonly list: (client: Client, signal: AbortSignal) => Promise<readonly Item[]>;
  readonly row: (item: Item) => readonly unknown[];
}

const KINDS: Readonly<Record<Kind, KindOfThing>> = {
  tools: {
    header: ["NAME", "DESCRIPTION"],
    list: async (client, signal) => (await client.listTools(undefined, { signal })).tools,
    row: ({ name, description }) => [name, description],
  },
  resources: {
    header: ["NAME", "URI", "DESCRIPTION", "MIME TYPE"],
    list: async (client, signal) => (await client.listResources(undefined, { signal })).resources,
    row: ({ name, uri, description, mimeType }) => [name, uri, description, mimeType],
  },
  prompts: {
    header: ["NAME", "DESCRIPTION", "ARGUMENTS"],
    list: async (client, signal) => (await client.listPrompts(undefined, { signal })).prompts,
    row: (item) => [item.name, item.description, describeArguments((item as unknown as Prompt).arguments)],
  },
};

/** In text, tools come first: most readers want those. */
const TEXT_ORDER: readonly Kind[] = ["tools", "resources", "prompts"];

export const listAll: CommandHandler<typeof MCP_LIST> = async (input, context) => {
  await withServer(input, context, async (client, signal) => {
    const found = new Map<Kind, readonly Item[]>();
    for (const kind of TEXT_ORDER) {
      try {
        found.set(kind, hasKind(client, kind) ? await KINDS[kind].list(client, signal) : []);
      } catch (error) {
        signal.throwIfAborted();
        found.set(kind, []);
        const { terminal } = context;
        terminal.info(`${terminal.err("yellow", "Warning:")} The ${kind} cannot be listed: ${describeError(error)}`);
      }
    }
    return found;
  });
};

export function listKind(kind: Kind): CommandHandler<typeof MCP_LIST> {
  return async (input, context) => {
    await withServer(input, context, async (client, signal) => {
      return new Map([[kind, hasKind(client, kind) ? await KINDS[kind].list(client, signal) : []]]);
    });
  };
}

/** Asking for what a server does not have is an error in the protocol; to us it has none of it. */
function hasKind(client: Client, kind: Kind): boolean {
  return client.getServerCapabilities()?.[kind] !== undefined;
}

async function withServer(
  input: Input<typeof MCP_LIST>,
  context: CommandContext,
  ask: (client: Client, signal: AbortSignal) => Promise<ReadonlyMap<Kind, readonly Item[]>>,
): Promise<void> {
  const { server, timeout: timeoutMs } = input;
  const url = await findServerAddress(server, "--server", context);
  const signal = AbortSignal.any([context.signal, startTimeout(timeoutMs)]);
  let found: ReadonlyMap<Kind, readonly Item[]>;
  try {
    using _progress = new Progress(context.terminal, `Asking ${server}`);
    await using connection = await connectMcp(url, signal);
    found = await ask(connection.client, signal);
  } catch (error) {
    context.signal.throwIfAborted();
    throw connectFailure(url, error, signal);
  }
  show(found, server, input, context);
}

function show(
  found: ReadonlyMap<Kind, readonly Item[]>,
  server: string,
  { format }: FormatInput,
  { terminal }: CommandContext,
): void {
  if (format === "json") {
    const sorted = [...found].sort(([left], [right]) => (left < right ? -1 : 1));
    terminal.printJson(Object.fromEntries(sorted));
    return;
  }
  const sections = [...found].filter(([, items]) => items.length > 0);
  if (sections.length === 0) {
    terminal.info(`${server} has no ${[...found.keys()].join(", ").replace(/, ([^,]*)$/, " and $1")}.`);
    return;
  }
  const tables = sections.map(([kind, items]) => {
    const { header, row } = KINDS[kind];
    const rows = items.map((item) => row(item).map(cell));
    return { kind, ...fitTable({ header, rows, cut: "DESCRIPTION", spare: ["MIME TYPE"] }, terminal.tableWidth) };
  });
  terminal.print(tables.map(({ kind, text }) => `${kind.toUpperCase()}:\n${text}\n`).join("\n"));
  reportLeftOut([...new Set(tables.flatMap(({ leftOut }) => leftOut))], terminal);
}

/** Texts of several lines become one. */
function cell(value: unknown): string {
  const text = typeof value === "string" ? showText(value.replace(/\s+/gu, " ")).trim() : "";
  return shorten(text, MAX_CELL);
}

/** For example `2 (city, [units])`: what is optional is in brackets. */
function describeArguments(all: Prompt["arguments"] = []): string {
  if (all.length === 0) return "0";
  return `${all.length} (${all.map(({ name, required }) => (required ? name : `[${name}]`)).join(", ")})`;
}
