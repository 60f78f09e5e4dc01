/** The operations on project files: what runs as one file, and what such a file says. */
import { CreateRequestSchema, ProjectGroupSchema } from "@toolhive/core";
import * as Type from "typebox";
import { operation } from "../parts/operation.ts";

const JSON_TYPE = "application/json";
/** Characters of a project file. */
const MAX_TEXT = 1_000_000;

const Names = (description: string, example: string) =>
  Type.Array(Type.String(), { description, examples: [[example]] });

const LeftOutSchema = Type.Object(
  {
    server: Type.Optional(Type.String({ description: "Name of the server.", examples: ["github"] })),
    group: Type.Optional(Type.String({ description: "Name of the group." })),
    member: Type.String({
      description: "The member of the project file; empty for the whole server or group.",
      examples: ["env.GITHUB_TOKEN"],
    }),
    reason: Type.String({ description: "Reason, without a full stop." }),
  },
  { $id: "LeftOut", description: "Something that the project file does not contain." },
);

const ExportedProjectSchema = Type.Object(
  {
    file: Type.String({ description: "Text of the file: YAML, as in `thv.yaml`." }),
    servers: Names("Names of the servers in the file.", "github"),
    groups: Names("Names of the groups in the file.", "work"),
    secrets: Names("Names of the secrets that its servers need. The file has no values.", "github-token"),
    left_out: Type.Array(LeftOutSchema, {
      description: "What the file does not contain. Comments in the file say the same.",
    }),
  },
  { $id: "ExportedProject" },
);

const ReadProjectRequestSchema = Type.Object(
  {
    text: Type.String({ maxLength: MAX_TEXT, description: "The text of a project file." }),
    path: Type.Optional(
      Type.String({
        maxLength: 4_096,
        description:
          "Absolute path of the file, to resolve relative paths in it. The file is not opened. Without `path`, relative paths are problems.",
        examples: ["/home/me/shop/thv.yaml"],
      }),
    ),
  },
  { $id: "ReadProjectRequest" },
);

const ReadServerSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the workload." }),
    run: Type.String({ description: "Image, package or URL, as in the file." }),
    groups: Type.Optional(
      Type.Array(Type.String(), { description: "Groups of the server. Absent: the file does not change them." }),
    ),
    request: CreateRequestSchema,
  },
  { $id: "ProjectFileServer", description: "`request` creates the server; `planWorkload` previews the creation." },
);

const ReadGroupSchema = Type.Object(
  { name: Type.String({ description: "Name of the group." }), ...ProjectGroupSchema.properties },
  { $id: "ProjectFileGroup" },
);

const ReadProblemSchema = Type.Object(
  {
    line: Type.Optional(Type.Integer({ minimum: 1, description: "Line of the text." })),
    member: Type.String({
      description: "Member of the file, with dots; empty for the whole file.",
      examples: ["servers.fetch.memory"],
    }),
    problem: Type.String({ description: "The problem, without a full stop. It does not contain values of variables." }),
  },
  { $id: "ProjectFileProblem" },
);

const ReadProjectSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: "Name of the project.", examples: ["shop"] })),
    servers: Type.Array(ReadServerSchema, { description: "The servers, in the order of the file." }),
    groups: Type.Array(ReadGroupSchema, { description: "The groups that the file describes." }),
    secrets: Names("Names of the secrets that the servers need.", "github-token"),
    problems: Type.Array(ReadProblemSchema, {
      description: "Problems of the file. If there are any, `thv up` refuses the file.",
    }),
  },
  { $id: "ProjectFileContent" },
);

export const PROJECT_OPERATIONS = {
  exportProject: operation({
    tag: "settings",
    summary: "Export servers as a project file",
    description:
      "Returns the servers with their settings, and the groups with their choices and clients, as a file for `thv up`. The file contains the names of secrets, and no value that looks secret. `left_out` names everything that the file does not contain.",
    query: {
      group: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: "Exports only this group and its servers. Default: all servers and all groups.",
          examples: ["work"],
        }),
      ),
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            "Name of the project. Default: the name of the group, or of the project that all servers belong to; otherwise, the file has no name.",
          examples: ["shop"],
        }),
      ),
    },
    success: { status: 200, description: "The file.", contentType: JSON_TYPE, schema: ExportedProjectSchema },
    errors: {
      GROUP_NOT_FOUND: "Group not found",
      INVALID_ARGUMENT: "Failed to export project:",
      CONFIG_INVALID: "Failed to export project",
    },
  }),
  readProject: operation({
    tag: "settings",
    summary: "Read a project file",
    description:
      "Checks the text of a project file, and returns its servers with the requests that create them. It does not create anything or open any file.",
    body: ReadProjectRequestSchema,
    decodeError: "Invalid request body",
    success: {
      status: 200,
      description: "The content of the file.",
      contentType: JSON_TYPE,
      schema: ReadProjectSchema,
    },
  }),
};
