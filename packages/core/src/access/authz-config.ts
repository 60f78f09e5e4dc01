/**
 * The authorisation file of a workload: Cedar policies and entities (api-behaviour 10.4). Checks only the form of the
 * file; the policies themselves are checked where they are loaded.
 */
import { extname } from "node:path";
import * as Type from "typebox";
import { createJsonLineFinder } from "../files/json-fault.ts";
import { parseYamlDocument, readYamlValue } from "../files/parse-yaml.ts";
import { createLineFinder, describeYamlErrors, type FindLine } from "../files/yaml-lines.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { addLines, describeWhole } from "../support/located-problem.ts";
import { createAccessError, readAccessText } from "./access-file.ts";

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
  const { what, isInline, content } = await readAccessText(text, AUTHZ_FILE);
  const { value, findLine } = parseText(content, isInline ? ".json" : extname(text), what);
  const problems = listProblems(AuthzConfigSchema, value);
  if (problems.length > 0)
    throw createAccessError(what, isInline ? problems : addLines(problems, findLine), AUTHZ_FILE);
  const { version, type, cedar } = value as AuthzConfig;
  const { policies, entities_json } = cedar;
  // Drops other members: an unread member may have any depth.
  return { version, type, cedar: { policies, ...(entities_json !== undefined && { entities_json }) } };
}

const AUTHZ_FILE = {
  member: "authz_config",
  words: "authorisation file",
  hint: 'It needs "version", "type": "cedarv1" and "cedar" with "policies" and "entities_json".',
} as const;

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
        throw createAccessError(what, describeWhole("it is not JSON"), AUTHZ_FILE);
      }
    case ".yaml":
    case ".yml":
      return readYaml(text, what);
    default:
      throw createAccessError(
        what,
        describeWhole(`its name must end with .json, .yaml or .yml, not with ${extension}`),
        AUTHZ_FILE,
      );
  }
}

function readYaml(text: string, what: string): ParsedText {
  const document = parseYamlDocument(text);
  if (document.errors.length > 0)
    throw createAccessError(
      what,
      describeWhole(`it is not YAML: ${describeYamlErrors(document).join("; ")}`),
      AUTHZ_FILE,
    );
  const value = readYamlValue(document);
  if (value === undefined) throw createAccessError(what, describeWhole("it uses too many aliases"), AUTHZ_FILE);
  return { value, findLine: createLineFinder(document, text) };
}
