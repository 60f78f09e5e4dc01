/** Pinned definitions of the tools of a workload, on the wire. */
import { CHANGED_TOOL_RULES, PIN_MODES, TOOL_WARNING_KINDS } from "@toolhive/core";
import * as Type from "typebox";

const SHA256 = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "SHA-256 of the definition as JSON without spaces, members sorted by name; in hexadecimal.",
});
const NAME = Type.String({ maxLength: 10_000, description: "The server's own name of the tool." });

const TEXT = Type.String({
  description:
    "Text of the server, for a definition that two parsers could read differently. It is compared byte by byte.",
});

const DefinitionSchema = Type.Object(
  {
    name: Type.String(),
    title: Type.Optional(Type.Unknown()),
    description: Type.Optional(Type.Unknown()),
    inputSchema: Type.Optional(Type.Unknown()),
    outputSchema: Type.Optional(Type.Unknown()),
    annotations: Type.Optional(Type.Unknown()),
    _meta: Type.Optional(
      Type.Unknown({
        description: "The members that name the page that a client draws: `ui` and `openai/outputTemplate`.",
      }),
    ),
  },
  { $id: "ToolDefinition", description: "Definition of a tool, as the server sends it." },
);

const DifferenceSchema = Type.Object(
  {
    name: NAME,
    kind: Type.Enum(["changed", "new", "removed"], {
      description:
        "`changed`: clients see the pinned definition, and calls are refused unless `changed_tools` allows them. Only in the mode `all`: `new`, a tool that clients can neither see nor call, and `removed`, a tool that the server no longer lists.",
    }),
    sha256: Type.Optional(SHA256),
    before: Type.Optional(DefinitionSchema),
    after: Type.Optional(DefinitionSchema),
    before_text: Type.Optional(TEXT),
    after_text: Type.Optional(TEXT),
  },
  {
    $id: "ToolDifference",
    description:
      "`before` is what was pinned and `after`, with its `sha256`, what the server offers. One that is not `removed` and has no `sha256` cannot be shown, and is not accepted.",
  },
);

export const ToolPinsSchema = Type.Object(
  {
    mode: Type.Enum([...PIN_MODES], { description: "`pin_tools` of the workload." }),
    changed_tools: Type.Optional(
      Type.Enum([...CHANGED_TOOL_RULES], {
        description: "Rule of the workload for changed tools; absent with the mode `off`.",
      }),
    ),
    pinned_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Time of the first recorded list, or of the last acceptance; absent until then.",
      }),
    ),
    tools: Type.Array(Type.Object({ name: NAME, sha256: SHA256 }, { $id: "PinnedTool" }), {
      description: "Tools whose definitions are recorded; sorted by name, at most 1,000.",
    }),
    hashed: Type.Integer({
      minimum: 0,
      description:
        "Number of further tools of which only the hashes of names and definitions are recorded. A changed one is held back and hidden from clients; its earlier definition cannot be shown.",
    }),
    reordered: Type.Array(NAME, {
      description:
        "Tools whose definitions have the same words in another order since the server's last start, or another order of a list whose order has no meaning. They are not held back, and clients see the recorded definitions.",
    }),
    differences: Type.Array(DifferenceSchema, {
      description: "Tools that are held back, according to the latest list; sorted by name.",
    }),
    warnings: Type.Array(
      Type.Object(
        {
          tool: NAME,
          kind: Type.Enum([...TOOL_WARNING_KINDS]),
          message: Type.String({
            description: "What is suspicious, without a full stop and without invisible characters.",
          }),
        },
        { $id: "ToolWarning" },
      ),
      {
        description:
          "Warnings about the definitions that are held back: hidden characters, instructions to the model, and names that look like those of other tools.",
      },
    ),
    full: Type.Boolean({
      description:
        "Whether the record is full. Tools that do not fit are held back until the tools are recorded again (`pin_tools` `off`, then `known`).",
    }),
    unsaved: Type.Optional(
      Type.String({
        description:
          "Reason why the record could not be written; absent if it is on disk. Until it is written, it is lost when the supervisor ends. ToolHive tries again each second.",
      }),
    ),
  },
  { $id: "ToolPins" },
);

export const AcceptToolsSchema = Type.Object(
  {
    tools: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: NAME,
            sha256: Type.Optional(
              Type.String({
                pattern: "^[0-9a-f]{64}$",
                description: "The hash in the difference; absent when the difference has none.",
              }),
            ),
          },
          { $id: "AcceptedTool" },
        ),
        { maxItems: 2_000, description: "Differences to accept, as `getToolPins` returned them. Absent: all." },
      ),
    ),
  },
  { $id: "AcceptToolsRequest" },
);
