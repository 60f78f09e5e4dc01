/** `thv tools list`, `allow`, `deny` and `rename` */
import type { OperationInput } from "@toolhive/api/client";
import { scanTools } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { showText } from "../../terminal/shown-text.ts";
import { fitTable } from "../../terminal/table.ts";
import { shorten } from "../../terminal/wrap.ts";
import { printOutcome } from "../print-outcome.ts";
import type { TOOLS_ALLOW, TOOLS_DENY, TOOLS_LIST, TOOLS_RENAME } from "./definition.ts";
import { askForTools, connectTo } from "./offered-tools.ts";
import { printWarnings } from "./tool-warnings.ts";

/** Characters of a cell; the whole text is in the JSON. */
const MAX_CELL = 80;

type Body = OperationInput<"editWorkload">["body"];
type Members = Pick<Body, "tools" | "tools_override">;

export const listTools: CommandHandler<typeof TOOLS_LIST> = async (input, context) => {
  const [name] = input.positionals;
  const { terminal } = context;
  const client = await connectTo(name, context);
  const { tools: chosen, tools_override: overrides = {} } = await client.call("exportWorkload", { params: { name } });
  const offered = await askForTools(name, context);
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
  if (missing.length > 0) terminal.info(`Chosen, but not offered by the server: ${missing.map(showText).join(", ")}.`);
  printWarnings(warnings, terminal);
};

export const allowTools: CommandHandler<typeof TOOLS_ALLOW> = async (input, context) => {
  const [name, ...given] = input.positionals;
  const added = given.filter((tool) => tool !== undefined);
  if (input.all === added.length > 0) {
    throw new ThvError("USAGE", "thv tools allow needs names of tools, or --all.", {
      hint: "See: thv tools allow --help",
    });
  }
  const names = await change(name, context, ({ tools, ...others }) =>
    input.all || tools === undefined ? others : { ...others, tools: [...new Set([...tools, ...added])] },
  );
  printOutcome(input, context, names, describe(name, names));
};

export const denyTools: CommandHandler<typeof TOOLS_DENY> = async (input, context) => {
  const [name, ...denied] = input.positionals;
  const names = await change(name, context, async (members) => {
    // Without a list, the one that is left has to name everything else.
    const before = members.tools ?? (await askForTools(name, context)).map((tool) => tool.name);
    const unknown = denied.find((tool) => !before.includes(tool));
    if (unknown !== undefined) throw noSuchTool(name, unknown);
    const tools = before.filter((tool) => !denied.includes(tool));
    if (tools.length > 0) return { ...members, tools };
    throw new ThvError("INVALID_ARGUMENT", `"${name}" would offer no tool at all`, {
      hint: `Stop it instead: thv stop ${name}`,
    });
  });
  printOutcome(input, context, names, describe(name, names));
};

export const renameTool: CommandHandler<typeof TOOLS_RENAME> = async (input, context) => {
  const [name, tool, renamed] = input.positionals;
  const names = await change(name, context, async ({ tools, tools_override = {} }) => {
    const overrides = new Map(Object.entries(tools_override));
    const found = [...overrides].find(([own, override]) => (override.name ?? own) === tool);
    const own = found?.[0] ?? tool;
    const offered = tools ?? (await askForTools(name, context)).map((each) => each.name);
    if (!offered.includes(tool)) throw noSuchTool(name, tool);
    if (renamed !== tool && offered.includes(renamed)) {
      throw new ThvError("INVALID_ARGUMENT", `"${name}" offers a tool "${renamed}" already`, {
        hint: `See its tools: thv tools list ${name}`,
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
      ...(tools && { tools: tools.map((each) => (each === tool ? renamed : each)) }),
      tools_override: Object.fromEntries(overrides),
    };
  });
  printOutcome(input, context, names, `${tool} of ${name} is offered as ${renamed}.`);
};

/** The workload with other tools; nothing else of it changes. */
async function change(
  name: string,
  context: CommandContext,
  edit: (members: Members) => Members | Promise<Members>,
): Promise<Required<Members>> {
  const client = await connectTo(name, context);
  const { tools, tools_override, ...others } = await client.call("exportWorkload", { params: { name } });
  const members = await edit({ ...(tools && { tools }), ...(tools_override && { tools_override }) });
  const before = { tools: tools ?? [], tools_override: tools_override ?? {} };
  const after = { tools: members.tools ?? [], tools_override: members.tools_override ?? {} };
  // Saying the same again would start the server anew.
  if (JSON.stringify(after) !== JSON.stringify(before))
    await client.call("editWorkload", { params: { name }, body: { ...others, ...after } });
  return after;
}

function describe(name: string, { tools }: Required<Members>): string {
  if (tools.length === 0) return `${name} offers all its tools.`;
  return `${name} offers ${tools.length} ${tools.length === 1 ? "tool" : "tools"}: ${tools.map(showText).join(", ")}.`;
}

function noSuchTool(name: string, tool: string): ThvError {
  return new ThvError("INVALID_ARGUMENT", `"${name}" offers no tool "${tool.slice(0, 200)}"`, {
    hint: `See its tools: thv tools list ${name}`,
  });
}

function cell(text = ""): string {
  return shorten(showText(text.replace(/\s+/gu, " ")).trim(), MAX_CELL);
}
