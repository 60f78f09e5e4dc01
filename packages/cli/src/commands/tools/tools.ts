/** `thv tools list`, `allow`, `deny`, `rename` and `find` */
import { scanTools } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { showText } from "../../terminal/shown-text.ts";
import { fitTable } from "../../terminal/table.ts";
import { shorten } from "../../terminal/wrap.ts";
import { printOutcome } from "../print-outcome.ts";
import type { TOOLS_ALLOW, TOOLS_DENY, TOOLS_FIND, TOOLS_LIST, TOOLS_RENAME } from "./definition.ts";
import { askForTools } from "./offered-tools.ts";
import { createUsage, type Members, readToolOwner, type ToolOwner } from "./tool-owner.ts";
import { printWarnings } from "./tool-warnings.ts";

/** Characters of a cell; the whole text is in the JSON. */
const MAX_CELL = 80;

export const listTools: CommandHandler<typeof TOOLS_LIST> = async (input, context) => {
  const { terminal } = context;
  const { owner, words } = readToolOwner("thv tools list", input, context);
  if (words.length > 0) throw createUsage("thv tools list", `does not take "${words.join(" ")}" beside --group`);
  const { name } = owner;
  const { tools: chosen, tools_override: overrides = {} } = await owner.read();
  const offered = await askForTools(await owner.findAddress(), context);
  const ownNames = new Map(Object.entries(overrides).map(([own, { name: shown = own }]) => [shown, own]));
  const tools = offered.map(({ name: shown, description }) => ({
    name: shown,
    ...(description !== undefined && { description }),
    own_name: ownNames.get(shown) ?? shown,
  }));
  const warnings = scanTools(offered);
  const seen = new Set(offered.map((tool) => tool.name));
  const missing = (chosen ?? []).filter((tool) => !seen.has(tool));
  if (input.format === "json") {
    terminal.printJson({ chosen: chosen !== undefined, tools, missing, warnings });
    return;
  }
  const rows = tools.map((tool) => [tool.name, tool.own_name, tool.description].map(cell));
  if (rows.length > 0)
    terminal.print(
      fitTable({ header: ["NAME", "OWN_NAME", "DESCRIPTION"], rows, cut: "DESCRIPTION" }, terminal.tableWidth).text,
    );
  else terminal.info(`${name} offers no tools.`);
  const kind = input.group === undefined ? "the server" : "a server of the group";
  if (missing.length > 0) terminal.info(`Chosen, but not offered by ${kind}: ${missing.map(showText).join(", ")}.`);
  printWarnings(warnings, terminal);
};

export const allowTools: CommandHandler<typeof TOOLS_ALLOW> = async (input, context) => {
  const { owner, words: added } = readToolOwner("thv tools allow", input, context);
  if (input.all === added.length > 0) throw createUsage("thv tools allow", "needs names of tools, or --all");
  const names = await owner.change(({ tools, ...others }) =>
    input.all || tools === undefined ? others : { ...others, tools: [...new Set([...tools, ...added])] },
  );
  printOutcome(input, context, names, describe(owner, names));
};

export const denyTools: CommandHandler<typeof TOOLS_DENY> = async (input, context) => {
  const { owner, words: denied } = readToolOwner("thv tools deny", input, context);
  if (denied.length === 0) throw createUsage("thv tools deny", "needs names of tools");
  const names = await owner.change(async (members) => {
    // Without a list, the one that is left has to name everything else.
    const before = members.tools ?? (await askForTools(await owner.findAddress(), context)).map((tool) => tool.name);
    const unknown = denied.find((tool) => !before.includes(tool));
    if (unknown !== undefined) throw noSuchTool(owner, unknown);
    const tools = before.filter((tool) => !denied.includes(tool));
    if (tools.length > 0) return { ...members, tools };
    throw new ThvError("INVALID_ARGUMENT", `"${owner.name}" would offer no tool at all`, { hint: owner.hintForNone });
  });
  printOutcome(input, context, names, describe(owner, names));
};

export const renameTool: CommandHandler<typeof TOOLS_RENAME> = async (input, context) => {
  const { owner, words } = readToolOwner("thv tools rename", input, context);
  const [tool, renamed, ...surplus] = words;
  if (tool === undefined || renamed === undefined || surplus.length > 0)
    throw createUsage("thv tools rename", "needs a TOOL and its NEW_NAME, after NAME or with --group");
  const names = await owner.change(async ({ tools, tools_override = {}, ...others }) => {
    const overrides = new Map(Object.entries(tools_override));
    const found = [...overrides].find(([own, override]) => (override.name ?? own) === tool);
    const own = found?.[0] ?? tool;
    const offered = tools ?? (await askForTools(await owner.findAddress(), context)).map((each) => each.name);
    if (!offered.includes(tool)) throw noSuchTool(owner, tool);
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
  const { owner, words } = readToolOwner("thv tools find", input, context);
  if (words.length > 0) throw createUsage("thv tools find", `does not take "${words.join(" ")}"`);
  const names = await owner.change(({ find_tools: _before, ...others }) => ({ ...others, find_tools: !input.off }));
  const text = input.off
    ? `Clients of ${owner.name} get the list of its tools.`
    : `Clients of ${owner.name} get find_tool and call_tool in the place of its tools.`;
  printOutcome(input, context, names, text);
};

function describe({ name }: ToolOwner, { tools }: Required<Members>): string {
  if (tools.length === 0) return `${name} offers all its tools.`;
  return `${name} offers ${tools.length} ${tools.length === 1 ? "tool" : "tools"}: ${tools.map(showText).join(", ")}.`;
}

function noSuchTool({ name, argument }: ToolOwner, tool: string): ThvError {
  return new ThvError("INVALID_ARGUMENT", `"${name}" offers no tool "${tool.slice(0, 200)}"`, {
    hint: `See its tools: thv tools list ${argument}`,
  });
}

function cell(text = ""): string {
  return shorten(showText(text.replace(/\s+/gu, " ")).trim(), MAX_CELL);
}
