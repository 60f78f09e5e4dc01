/**
 * The authorisation file of a workload: Cedar policies and entities (api-behaviour 10.4). Checks only the form of the
 * file; the policies themselves are checked where they are loaded.
 */
import { extname } from "node:path";
import * as Type from "typebox";
import { describeReadFailure, readBoundedText } from "../files/bounded-file.ts";
import { createJsonLineFinder } from "../files/json-fault.ts";
import { parseYamlDocument } from "../files/parse-yaml.ts";
import { createLineFinder, describeYamlErrors, type FindLine } from "../files/yaml-lines.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { ThvError } from "../support/errors.ts";
import {
  addLines,
  describeWhole,
  type LocatedProblem,
  listSentences,
  moveProblems,
} from "../support/located-problem.ts";

const MAX_ALIASES = 100;

export const AuthzConfigSchema = Type.Object({
  version: Type.String({ minLength: 1 }),
  type: Type.Literal("cedarv1"),
  cedar: Type.Object({
    /** One policy in each. */
    policies: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    /** A JSON array as text. */
    entities_json: Type.Optional(Type.String()),
  }),
});
export type AuthzConfig = Readonly<Type.Static<typeof AuthzConfigSchema>>;

/**
 * @param text Absolute path of a JSON or YAML file, or the JSON itself.
 * @throws {ThvError} `INVALID_ARGUMENT` with every problem; what the file holds is not repeated.
 */
export async function readAuthzConfig(text: string): Promise<AuthzConfig> {
  const isInline = text.trimStart().startsWith("{");
  const what = isInline ? "authz_config" : text;
  const content = isInline ? text : await readAuthzFile(text);
  const { value, findLine } = parseText(content, isInline ? ".json" : extname(text), what);
  const problems = listProblems(AuthzConfigSchema, value);
  if (problems.length > 0) throw createInvalidError(what, isInline ? problems : addLines(problems, findLine));
  const { version, type, cedar } = value as AuthzConfig;
  const { policies, entities_json } = cedar;
  // Drops other members: an unread member may have any depth.
  return { version, type, cedar: { policies, ...(entities_json !== undefined && { entities_json }) } };
}

async function readAuthzFile(path: string): Promise<string> {
  try {
    return await readBoundedText(path);
  } catch (error) {
    throw createInvalidError(path, describeWhole(describeReadFailure(error)));
  }
}

interface ParsedText {
  readonly value: unknown;
  readonly findLine: FindLine;
}

/** The parsers' own messages quote the text, and the file may be another one than was meant. */
function parseText(text: string, extension: string, what: string): ParsedText {
  switch (extension) {
    case "":
    case ".json":
      try {
        return { value: JSON.parse(text), findLine: createJsonLineFinder(text) };
      } catch {
        throw createInvalidError(what, describeWhole("it is not JSON"));
      }
    case ".yaml":
    case ".yml":
      return readYaml(text, what);
    default:
      throw createInvalidError(
        what,
        describeWhole(`its name must end with .json, .yaml or .yml, not with ${extension}`),
      );
  }
}

function readYaml(text: string, what: string): ParsedText {
  const document = parseYamlDocument(text);
  if (document.errors.length > 0)
    throw createInvalidError(what, describeWhole(`it is not YAML: ${describeYamlErrors(document).join("; ")}`));
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), findLine: createLineFinder(document, text) };
  } catch {
    // The only thing that it throws for.
    throw createInvalidError(what, describeWhole("it uses too many aliases"));
  }
}

/** @param problems Each with its place in the file. */
function createInvalidError(what: string, problems: readonly LocatedProblem[]): ThvError {
  const sentences = listSentences(problems).join("; ");
  return new ThvError("INVALID_ARGUMENT", `The authorisation file ${what} cannot be used: ${sentences}.`, {
    problems: moveProblems(problems, "authz_config"),
    hint: 'It needs "version", "type": "cedarv1" and "cedar" with "policies" and "entities_json".',
  });
}
