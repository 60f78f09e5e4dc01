/** `thv tools list`, `allow`, `deny`, `rename` and `find` */
import { findNearest, scanTools, type ToolDefinition } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { shorten } from "@toolhive/http/values";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { nameSome } from "../../terminal/name-some.ts";
import { showText } from "../../terminal/shown-text.ts";
import { fitTable } from "../../terminal/table.ts";
import { printOutcome } from "../print-outcome.ts";
import type { TOOLS_ALLOW, TOOLS_DENY, TOOLS_FIND, TOOLS_LIST, TOOLS_RENAME } from "./definition.ts";
import { askForTools } from "./offered-tools.ts";
import { createUsage, type Members, readToolOwner, type ToolOwner } from "./tool-owner.ts";
import { printToolUsage } from "./tool-usage.ts";
import { printWarnings } from "./tool-warnings.ts";

/** Characters of a cell; the whole text is in the JSON. */
const MAX_CELL = 80;

export const listTools: CommandHandler<typeof TOOLS_LIST> = async (input, context) => {
  const { terminal } = context;
  const { owner, words } = await readToolOwner("thv tools list", input, context);
  if (words.length > 0) throw createUsage("thv tools list", `does not take "${words.join(" ")}" beside --group`);
  const { name } = owner;
  if (input.usage && input.group !== undefined)
    throw createUsage("thv tools list", "counts calls of one server, so --usage needs NAME and not --group");
  const { tools: chosen } = await owner.read();
  // Says best why one does not answer, and waits for one that is being found again.
  await owner.findAddress();
  const { tools: offered, states } = await owner.listTools();
  const definitions = offered.map((tool): ToolDefinition => ({ ...tool, name: String(tool.name) }));
  const descriptions = new Map(definitions.map((tool) => [tool.name, readDescription(tool)]));
  const tools = states
    .filter(({ state }) => state !== "missing")
    .map(({ description, ...tool }) => {
      const text = tool.state === "offered" ? descriptions.get(tool.name) : description;
      return { ...tool, ...(text !== undefined && { description: text }) };
    });
  const warnings = scanTools(definitions);
  const missing = states.flatMap((tool) => (tool.state === "missing" ? [tool.name] : []));
  if (input.usage) {
    await printToolUsage(owner, { chosen: chosen !== undefined, tools, missing, warnings }, input, context);
    return;
  }
  if (input.format === "json") {
    terminal.printJson({ chosen: chosen !== undefined, tools, missing, warnings });
    return;
  }
  const { isGroup } = owner;
  const rows = tools.map(({ name: shown, state, server, own_name: own, description }) =>
    [shown, state, ...(isGroup ? [server] : []), own, description].map(cell),
  );
  const header = ["NAME", "STATE", ...(isGroup ? ["SERVER"] : []), "OWN NAME", "DESCRIPTION"];
  if (rows.length > 0)
    terminal.print(fitTable({ header, rows, cut: "DESCRIPTION", spare: ["OWN NAME"] }, terminal.tableWidth).text);
  if (!tools.some(({ state }) => state === "offered")) terminal.info(`${name} offers no tools.`);
  const hidden = tools.filter(({ state }) => state === "hidden").length;
  if (hidden > 0) terminal.info(`To offer hidden tools: thv tools allow ${owner.argument} TOOL, or --all`);
  reportMissing(missing, states, isGroup, context);
  printWarnings(warnings, terminal);
};

/** Prints the chosen tools that no server has, each with the name that may have been meant. */
export function reportMissing(
  missing: readonly string[],
  states: readonly { readonly name: string; readonly state: string }[],
  isGroup: boolean,
  { terminal }: Pick<CommandContext, "terminal">,
): void {
  if (missing.length === 0) return;
  const known = states.flatMap(({ name, state }) => (state === "missing" ? [] : [name]));
  const named = missing.map((name) => {
    const meant = findNearest(name, known);
    return meant === undefined ? showText(name) : `${showText(name)} (did you mean ${showText(meant)}?)`;
  });
  const kind = isGroup ? "a server of the group" : "the server";
  terminal.info(`Chosen, but not offered by ${kind}: ${named.join(", ")}.`);
}

export const allowTools: CommandHandler<typeof TOOLS_ALLOW> = async (input, context) => {
  const { owner, words: added } = await readToolOwner("thv tools allow", input, context);
  if (input.all === added.length > 0) throw createUsage("thv tools allow", "needs names of tools, or --all");
  let before: readonly string[] = [];
  const names = await owner.change(({ tools, ...others }) => {
    before = tools ?? [];
    return input.all || tools === undefined ? others : { ...others, tools: [...new Set([...tools, ...added])] };
  });
  // A name that was just chosen may be a typing error; a server that does not answer now cannot report it.
  const { states = [] } = names.tools.length > 0 ? await owner.listTools().catch(() => ({ states: [] })) : {};
  const absent = new Set(states.flatMap(({ name, state }) => (state === "missing" ? [name] : [])));
  const shown = added.filter((name) => !absent.has(name) && !before.includes(name));
  printOutcome(input, context, names, describe(owner, names, "also offers", shown));
  const missing = added.filter((name) => absent.has(name));
  reportMissing(missing, states, owner.isGroup, context);
};

export const denyTools: CommandHandler<typeof TOOLS_DENY> = async (input, context) => {
  const { owner, words: denied } = await readToolOwner("thv tools deny", input, context);
  if (denied.length === 0) throw createUsage("thv tools deny", "needs names of tools");
  let hidden: readonly string[] = [];
  const names = await owner.change(async (members) => {
    // Without a list, the remaining one has to name everything else.
    const before = members.tools ?? (await askForTools(await owner.findAddress(), context)).map((tool) => tool.name);
    hidden = await findHidden(owner, denied, before);
    if (hidden.length === denied.length) return members;
    const tools = before.filter((tool) => !denied.includes(tool));
    if (tools.length > 0) return { ...members, tools };
    throw new ThvError("INVALID_ARGUMENT", `"${owner.name}" would offer no tool at all`, { hint: owner.hintForNone });
  });
  printOutcome(
    input,
    context,
    names,
    describe(
      owner,
      names,
      "no longer offers",
      denied.filter((tool) => !hidden.includes(tool)),
    ),
  );
};

/** @returns Those of the tools that clients do not see already. @throws {ThvError} `INVALID_ARGUMENT` for one that nobody has. */
async function findHidden(owner: ToolOwner, tools: readonly string[], offered: readonly string[]): Promise<string[]> {
  const others = tools.filter((tool) => !offered.includes(tool));
  if (others.length === 0) return [];
  const { states } = await owner.listTools().catch(() => ({ states: [] }));
  const known = states.flatMap(({ name, state }) => (state === "missing" ? [] : [name]));
  const unknown = others.find((tool) => !known.includes(tool));
  if (unknown !== undefined) throw noSuchTool(owner, unknown, known.length > 0 ? known : offered);
  return others;
}

export const renameTool: CommandHandler<typeof TOOLS_RENAME> = async (input, context) => {
  const { owner, words } = await readToolOwner("thv tools rename", input, context);
  const [tool, renamed, ...surplus] = words;
  if (tool === undefined || renamed === undefined || surplus.length > 0)
    throw createUsage("thv tools rename", "needs a TOOL and its NEW_NAME, after NAME or with --group");
  const names = await owner.change(async ({ tools, tools_override = {}, ...others }) => {
    const overrides = new Map(Object.entries(tools_override));
    const found = [...overrides].find(([own, override]) => (override.name ?? own) === tool);
    const own = found?.[0] ?? tool;
    const offered = tools ?? (await askForTools(await owner.findAddress(), context)).map((each) => each.name);
    if (!offered.includes(tool)) throw noSuchTool(owner, tool, offered);
    if (renamed !== tool && offered.includes(renamed)) {
      throw new ThvError("INVALID_ARGUMENT", `"${owner.name}" offers a tool "${renamed}" already`, {
        hint: `See its tools: thv tools list ${owner.argument}`,
      });
    }
    const description = input.description ?? found?.[1].description;
    overrides.delete(own);
    if (renamed !== own || description !== undefined)
      overrides.set(own, {
        ...(renamed !== own && { name: renamed }),
        ...(description !== undefined && { description }),
      });
    return {
      ...others,
      ...(tools && { tools: tools.map((each) => (each === tool ? renamed : each)) }),
      tools_override: Object.fromEntries(overrides),
    };
  });
  printOutcome(input, context, names, `${tool} of ${owner.name} is offered as ${renamed}.`);
};

export const findTools: CommandHandler<typeof TOOLS_FIND> = async (input, context) => {
  const { owner, words } = await readToolOwner("thv tools find", input, context);
  if (words.length > 0) throw createUsage("thv tools find", `does not take "${words.join(" ")}"`);
  const names = await owner.change(({ find_tools: _before, ...others }) => ({ ...others, find_tools: !input.off }));
  const text = input.off
    ? `Clients of ${owner.name} list all its tools again.`
    : `Clients of ${owner.name} get find_tool and call_tool instead of its tools.`;
  printOutcome(input, context, names, text);
};

/** @param what What has become of the tools that the command names, for example `also offers`. */
function describe({ name }: ToolOwner, { tools }: Required<Members>, what: string, changed: readonly string[]): string {
  if (tools.length === 0) return `${name} offers all its tools.`;
  const count = `${tools.length} ${tools.length === 1 ? "tool is" : "tools are"} chosen.`;
  if (changed.length === 0) return `Nothing changes for clients of ${name}. ${count}`;
  return `${name} ${what} ${nameSome(changed)}. ${count}`;
}

function noSuchTool({ name, argument }: ToolOwner, tool: string, known: readonly string[]): ThvError {
  const near = findNearest(tool, known);
  return new ThvError("INVALID_ARGUMENT", `"${name}" offers no tool "${tool.slice(0, 200)}"`, {
    hint: `${near === undefined ? "" : `Did you mean ${showText(near)}? `}See its tools: thv tools list ${argument}`,
  });
}

function cell(text = ""): string {
  return shorten(showText(text.replace(/\s+/gu, " ")).trim(), MAX_CELL);
}

function readDescription({ description }: { readonly description?: unknown }): string | undefined {
  return typeof description === "string" ? description : undefined;
}
