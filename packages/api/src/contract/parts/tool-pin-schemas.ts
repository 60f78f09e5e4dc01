/** Pinned definitions of the tools of a workload, on the wire. */
import { Type } from "typebox";

const SHA256 = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "SHA-256 of the definition as JSON without spaces, members sorted by name; in hexadecimal.",
});
const NAME = Type.String({ maxLength: 10_000, description: "The server's own name of the tool." });

const DefinitionSchema = Type.Object(
  {
    name: Type.String(),
    title: Type.Optional(Type.Unknown()),
    description: Type.Optional(Type.Unknown()),
    inputSchema: Type.Optional(Type.Unknown()),
    outputSchema: Type.Optional(Type.Unknown()),
    annotations: Type.Optional(Type.Unknown()),
  },
  { $id: "ToolDefinition", description: "What a server says of a tool, as it says it." },
);

const DifferenceSchema = Type.Object(
  {
    name: NAME,
    kind: Type.Enum(["changed", "new", "removed"], {
      description:
        "`changed`: clients see `before`, and calls are refused. `new`: neither seen nor called. `removed`: the server lists it no more.",
    }),
    sha256: Type.Optional(SHA256),
    before: Type.Optional(DefinitionSchema),
    after: Type.Optional(DefinitionSchema),
  },
  {
    $id: "ToolDifference",
    description:
      "`before` is what was pinned and `after`, with its `sha256`, what the server offers. One that is not `removed` and has no `after` cannot be read, and is not accepted.",
  },
);

export const ToolPinsSchema = Type.Object(
  {
    pinned: Type.Boolean({ description: "Whether tools are pinned at all: `pin_tools` of the workload." }),
    pinned_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "When they were recorded or accepted last; absent until a list has passed the proxy.",
      }),
    ),
    tools: Type.Array(Type.Object({ name: NAME, sha256: SHA256 }, { $id: "PinnedTool" }), {
      description: "Sorted by name; at most 1,000.",
    }),
    differences: Type.Array(DifferenceSchema, {
      description: "Of the list that passed the proxy last, sorted by name.",
    }),
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
                description: "As the difference has it; absent when it has none.",
              }),
            ),
          },
          { $id: "AcceptedTool" },
        ),
        { maxItems: 2_000, description: "Differences as they were shown. Absent: all." },
      ),
    ),
  },
  { $id: "AcceptToolsRequest" },
);
