/** Which tools a workload offers, and under which names: the members of its request, and their problems. */
import { quote } from "@toolhive/http/values";
import * as Type from "typebox";
import type { LocatedProblem } from "../support/located-problem.ts";

/** Characters of a name, and of a description. */
const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 10_000;
const MAX_TOOLS = 1_000;
/** Which tools are held back until somebody accepts them: those that change, also those that are new, or none. */
export const PIN_MODES = ["known", "all", "off"] as const;
/** What becomes of calls of a tool that has changed. */
export const CHANGED_TOOL_RULES = ["refuse", "allow"] as const;
const CONTROL_CHARACTER = /\p{Cc}/u;

const OverrideSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME_LENGTH,
        description: "Name for clients. Default: the tool's own name.",
        examples: ["add"],
      }),
    ),
    description: Type.Optional(
      Type.String({
        maxLength: MAX_DESCRIPTION_LENGTH,
        description: "Description for clients. Default: the tool's own.",
        examples: ["Adds."],
      }),
    ),
  },
  { $id: "ToolOverride" },
);

const OverridesSchema = createOverridesSchema(
  "New names and descriptions of single tools, by the server's own names. The old name no longer works.",
  "get-sum",
);

const FindToolsSchema = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      "Whether clients get `find_tool` and `call_tool` instead of the list of tools: they search for a tool, then call it. Clients can still call every tool by its own name.",
  }),
);

export const TOOL_MEMBERS = {
  tools: createToolsSchema(
    "Names of the tools that clients see and may call, after `tools_override`. Clients cannot see or call other tools. Absent or empty: all tools.",
    "get-sum",
  ),
  tools_override: Type.Optional(OverridesSchema),
  find_tools: FindToolsSchema,
  pin_tools: Type.Optional(
    Type.Enum([...PIN_MODES], {
      default: "known",
      description:
        "Which tools ToolHive holds back until somebody accepts them (`getToolPins`, `acceptTools`). `known`: tools whose definition has changed since the proxy first saw it. `all`: also tools that are new after the first list. `off`: none; ToolHive does not record definitions.",
    }),
  ),
  changed_tools: Type.Optional(
    Type.Enum([...CHANGED_TOOL_RULES], {
      default: "refuse",
      description:
        "Whether ToolHive refuses or allows calls of a tool with a changed definition until the change is accepted. Clients see the recorded definition in both cases.",
    }),
  ),
} as const satisfies Record<keyof ToolMembers, Type.TSchema>;

/** The same of a group, whose tools have the names that its naming rule gives them. */
export const GROUP_TOOL_MEMBERS = {
  tools: createToolsSchema(
    "Names of the tools that clients of the group see and may call, after `tools_override`. `server__tool` is accepted, too. Clients cannot see or call other tools. Absent or empty: all tools.",
    "everything__get-sum",
  ),
  tools_override: Type.Optional(
    createOverridesSchema(
      "New names and descriptions of single tools, by the names that clients see without this member. The old name no longer works.",
      "everything__get-sum",
    ),
  ),
  find_tools: FindToolsSchema,
} as const;

function createToolsSchema(description: string, example: string) {
  return Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }), {
      maxItems: MAX_TOOLS,
      description,
      examples: [[example]],
    }),
  );
}

function createOverridesSchema(description: string, example: string) {
  return Type.Record(Type.String(), OverrideSchema, {
    maxProperties: MAX_TOOLS,
    description,
    examples: [{ [example]: { name: "add" } }],
  });
}

/** The file of `thv run --tools-override`. */
export const ToolOverrideFileSchema = Type.Object({ toolsOverride: OverridesSchema }, { additionalProperties: false });

export interface ToolOverride {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export type ToolOverrides = Readonly<Record<string, ToolOverride>>;

/** The tools that clients see and may call. */
export interface ToolSelection {
  /** Their names, as clients see them. Default: all. */
  readonly tools?: readonly string[] | undefined;
  /** What clients see of single tools, by the server's own names. The old name no longer works. */
  readonly toolOverrides?: ToolOverrides | undefined;
  /** Whether clients find tools instead of listing them. Default false. */
  readonly findTools?: boolean | undefined;
}

export interface ToolMembers {
  readonly tools?: readonly string[] | undefined;
  readonly tools_override?: Readonly<Type.Static<typeof OverridesSchema>> | undefined;
  readonly find_tools?: boolean | undefined;
  readonly pin_tools?: (typeof PIN_MODES)[number] | undefined;
  readonly changed_tools?: (typeof CHANGED_TOOL_RULES)[number] | undefined;
}

/** The members of a run configuration that are about its tools, without those that ask for nothing. */
export function pickTools<T extends ToolMembers>(config: T): Pick<T, keyof T & keyof ToolMembers> {
  const members = Object.entries(config).filter(([member, value]) => member in TOOL_MEMBERS && value);
  return Object.fromEntries(members) as Pick<T, keyof T & keyof ToolMembers>;
}

/** All its other members. */
export function omitTools<T extends ToolMembers>(config: T): Omit<T, keyof ToolMembers> {
  const others = Object.entries(config).filter(([member]) => !(member in TOOL_MEMBERS));
  return Object.fromEntries(others) as Omit<T, keyof ToolMembers>;
}

/** How the definitions of tools are pinned. */
export interface PinSettings {
  readonly mode: (typeof PIN_MODES)[number];
  readonly changedTools: (typeof CHANGED_TOOL_RULES)[number];
}

/** Absent members are those of a workload that was saved before there were any, and mean the same for all. */
export function pickPinSettings({ pin_tools = "known", changed_tools = "refuse" }: ToolMembers): PinSettings {
  return { mode: pin_tools, changedTools: changed_tools };
}

export function listToolProblems({ tools = [], tools_override = {} }: ToolMembers): LocatedProblem[] {
  const overrides = Object.entries(tools_override);
  const problems: LocatedProblem[] = [];
  const add = (path: readonly string[], sentence: string) => problems.push({ path, sentence });
  const tooMany = `more than ${MAX_TOOLS} tools are named`;
  if (tools.length > MAX_TOOLS) add(["tools"], tooMany);
  else if (overrides.length > MAX_TOOLS) add(["tools_override"], tooMany);
  const named = [
    ...tools.map((name, index) => ({ name, path: ["tools", String(index)] })),
    ...overrides.flatMap(([own, { name = own }]) =>
      [own, name].map((each) => ({ name: each, path: ["tools_override", own] })),
    ),
  ];
  // Each name once, at its first place.
  const places = new Map(named.toReversed().map(({ name, path }) => [name, path]));
  for (const name of new Set(named.map((each) => each.name)))
    if (!isToolName(name)) add(places.get(name) ?? [], `${quote(name, 60)} is no name of a tool`);
  const shown = new Map<string, string>();
  for (const [own, { name = own, description }] of overrides) {
    const path = ["tools_override", own];
    if (name === own && description === undefined)
      add(path, `the override of the tool ${quote(own, 60)} has neither another name nor a description`);
    if ((description?.length ?? 0) > MAX_DESCRIPTION_LENGTH)
      add(
        [...path, "description"],
        `the description of the tool ${quote(own, 60)} is longer than ${MAX_DESCRIPTION_LENGTH} characters`,
      );
    const other = shown.get(name);
    if (other !== undefined)
      add(path, `the tools ${quote(other, 60)} and ${quote(own, 60)} would both be called ${quote(name, 60)}`);
    shown.set(name, own);
  }
  return problems;
}

/** The selection of tools that an endpoint receives. Desktop applications send empty lists where the user chose nothing. */
export function pickToolSelection({ tools = [], tools_override = {}, find_tools }: ToolMembers): ToolSelection {
  return {
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(tools_override).length > 0 && { toolOverrides: tools_override }),
    ...(find_tools && { findTools: true }),
  };
}

function isToolName(text: string): boolean {
  return text !== "" && text.length <= MAX_NAME_LENGTH && !CONTROL_CHARACTER.test(text);
}
