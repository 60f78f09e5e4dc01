/** What the reference pages are made from, for programs that ask for one command, operation or error (`@toolhive/docs`). */
import {
  COMMAND_GROUPS,
  COMMANDS,
  GLOBAL_FLAGS,
  HELP_FLAG,
  isShown,
  listShownFlags,
  usageLine,
} from "@toolhive/cli/commands";
import { ERROR_GUIDE } from "@toolhive/cli/error-guide";
import { BRAND } from "@toolhive/core/brand";
import { ERRORS, type ErrorCode, getErrorPage } from "@toolhive/core/errors";
import type {
  CommandFact,
  DocsFacts,
  ErrorFact,
  FieldFact,
  FlagFact,
  MessageFact,
  OperationFact,
} from "@toolhive/docs/pack";
import { findPlace, pathOfPlace } from "./api-places.ts";
import { isCommonResponse } from "./common-responses.ts";
import { readErrorMessages } from "./error-messages.ts";
import { listEntries, type OpenApi, type Operation } from "./openapi-types.ts";
import { describeMeaning, describeType, type Field, listFields, resolve } from "./schema-words.ts";
import { SEEN_MESSAGES, type SeenMessage } from "./seen-messages.ts";

const REFERENCE = `/${BRAND.docsSegment}/reference`;
/** The page of messages of other programs without an error of ours. */
export const OTHER_PROGRAMS = `${REFERENCE}/other-programs`;

type Command = (typeof COMMANDS)[number];
type Group = (typeof COMMAND_GROUPS)[number];

/** @param root The repository's folder, whose sources hold the messages. */
export function docsFacts(root: string, document: OpenApi): DocsFacts {
  return {
    commands: commandFacts(),
    operations: operationFacts(document),
    errors: errorFacts(root),
    messages: SEEN_MESSAGES.map(messageFact),
  };
}

function commandFacts(): CommandFact[] {
  const nodes = [...COMMANDS.filter(isShown), ...COMMAND_GROUPS];
  const root: Group = {
    path: [],
    summary: "Runs MCP servers in containers and makes them available to MCP clients on this machine",
  };
  return [root, ...nodes].map((node) => (isCommand(node) ? commandFact(node, nodes) : groupFact(node, nodes)));
}

function isCommand(node: Command | Group): node is Command {
  return "load" in node;
}

const formatName = (path: readonly string[]): string => [BRAND.command, ...path].join(" ");
const formatPage = (path: readonly string[]): string => `${REFERENCE}/cli/${[BRAND.command, ...path].join("_")}`;

/** Commands and groups directly below a path, as arguments that may follow it. */
function listChildren(path: readonly string[], nodes: readonly (Command | Group)[]): CommandFact["arguments"] {
  return nodes
    .filter((node) => node.path.length === path.length + 1 && path.every((word, index) => node.path[index] === word))
    .map(({ path: words, summary }) => ({ name: words.at(-1) ?? "", summary }));
}

function groupFact({ path, summary, description }: Group, nodes: readonly (Command | Group)[]): CommandFact {
  return {
    name: formatName(path),
    usage: `${formatName(path)} COMMAND [flags]`,
    summary,
    ...(description !== undefined && { description }),
    aliases: [],
    arguments: listChildren(path, nodes),
    flags: [...GLOBAL_FLAGS, HELP_FLAG].map(flagFact),
    examples: [],
    path: formatPage(path),
  };
}

function commandFact(command: Command, nodes: readonly (Command | Group)[]): CommandFact {
  const { path, summary, description, aliases = [], positionals, examples } = command;
  return {
    name: formatName(path),
    usage: usageLine(command),
    summary,
    ...(description !== undefined && { description }),
    aliases: aliases.map((alias) => formatName([...path.slice(0, -1), alias])),
    arguments: [
      ...positionals.map(({ name, summary: about }) => ({ name, summary: about })),
      ...listChildren(path, nodes),
    ],
    flags: [...listShownFlags(command), ...GLOBAL_FLAGS, HELP_FLAG].map(flagFact),
    examples,
    path: formatPage(path),
  };
}

function flagFact(flag: typeof HELP_FLAG): FlagFact {
  const { name, short, kind, values, env, summary } = flag;
  return {
    name,
    value: kind === "bool" ? "" : kind,
    summary,
    ...(short !== undefined && { short }),
    ...(flag.default !== undefined && { default: String(flag.default) }),
    ...(values !== undefined && { values }),
    ...(env !== undefined && { env }),
  };
}

function operationFacts(document: OpenApi): OperationFact[] {
  return listEntries(document).map(({ method, path: route, operation }) => {
    const { operationId: id, summary, description, responses, tags } = operation;
    return {
      id,
      method: method.toUpperCase(),
      route,
      summary,
      ...(description !== undefined && { description }),
      parameters: parameterFacts(operation),
      body: bodyFacts(operation, document),
      responses: Object.entries(responses)
        .filter(([status, answer]) => !isCommonResponse(status, answer))
        .map(([status, answer]) => ({ status, description: answer.description })),
      path: `${REFERENCE}/${pathOfPlace(findPlace(tags[0] ?? ""))}#${id}`,
    };
  });
}

function parameterFacts({ parameters = [] }: Operation): OperationFact["parameters"] {
  return parameters
    .map(({ name, in: where, required, schema, description }) => ({
      ...fieldFact({ name, required, schema: { ...schema, ...(description !== undefined && { description }) } }),
      in: where,
    }))
    .sort((left, right) => Number(right.required) - Number(left.required));
}

function bodyFacts({ requestBody }: Operation, document: OpenApi): FieldFact[] {
  const body = requestBody?.content["application/json"];
  const { schemas } = document.components;
  return body === undefined ? [] : listFields(body.schema, schemas).map((field) => fieldFact(field, schemas));
}

function fieldFact({ name, schema, required }: Field, schemas: OpenApi["components"]["schemas"] = {}): FieldFact {
  return {
    name,
    type: describeType(schema, () => "object"),
    required,
    description: describeMeaning(resolve(schema, schemas)),
  };
}

function errorFacts(root: string): ErrorFact[] {
  const messages = readErrorMessages(root);
  return (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { short, what, why, remedies } = ERROR_GUIDE[code];
    const { exit, status } = ERRORS[code];
    const plain = (text: string) => text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
    return {
      code,
      short,
      what: plain(what),
      why: why.map(plain),
      remedies: remedies.map(({ say, command }) => ({ say: plain(say), ...(command !== undefined && { command }) })),
      exit,
      status,
      messages: [...(messages.get(code) ?? [])],
      path: getErrorPage(code),
    };
  });
}

function messageFact({ message, program, means, remedy, code }: SeenMessage): MessageFact {
  const path = code === undefined ? OTHER_PROGRAMS : `${getErrorPage(code)}#also-seen-as`;
  return { message, program, means, remedy, path, ...(code !== undefined && { code }) };
}
