/**
 * Reads the text of `config.yaml`, and writes changes into it: comments, order, and members that we do not know stay.
 */
import { isRecord, quote } from "@toolhive/http/values";
import type { TSchema } from "typebox";
import { type Document, isMap } from "yaml";
import { parseYamlDocument, readYamlValue } from "../files/parse-yaml.ts";
import { assertKnownVersion } from "../files/state-version.ts";
import { createLineFinder, describeYamlErrors } from "../files/yaml-lines.ts";
import { findNearestMember } from "../schemas/nearest-member.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { describeError, hasCode, type ThvError } from "../support/errors.ts";
import { addLines, describeWhole, type LocatedProblem, listSentences } from "../support/located-problem.ts";
import { type Config, ConfigSchema, DEFAULT_CONFIG } from "./config-schema.ts";

/** Spaces, as the reference writes the file. */
const INDENT = 4;
/** Characters of an unknown name that are repeated. */
const MAX_NAME = 60;
/** The reader reports at most this many mistakes. */
const MAX_PROBLEMS = 200;
/** Settings have nothing to say twice. */
const MAX_ALIASES = 10;

export type ConfigReading =
  | {
      readonly ok: true;
      readonly config: Config;
      /** Sentences, each with its line, about members that do nothing. */
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      /** Each with its place in the file; the sentence of a place begins with its line. */
      readonly problems: readonly LocatedProblem[];
      /** The file is of a version that this program does not know. */
      readonly tooNew?: ThvError;
    };

/**
 * Never throws: for an invalid file it returns the problems.
 *
 * @param path Of the file, for its messages.
 */
export function readConfig(text: string, path = "config.yaml"): ConfigReading {
  const document = parseYamlDocument(text);
  if (document.errors.length > 0) {
    return { ok: false, problems: describeWhole(...describeYamlErrors(document)).slice(0, MAX_PROBLEMS) };
  }
  const value = readYamlValue(document, MAX_ALIASES);
  if (value === undefined) return { ok: false, problems: describeWhole("the file uses too many aliases") };
  try {
    assertKnownVersion(value, path);
  } catch (error) {
    const problems = describeWhole(describeError(error));
    return { ok: false, problems, ...(hasCode(error, "STATE_TOO_NEW") && { tooNew: error }) };
  }
  const config = addDefaults(translateLegacy(value));
  const findLine = createLineFinder(document, text);
  const problems = dropRepeated(addLines(listProblems(ConfigSchema, config), findLine));
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
  const warnings = listSentences(addLines(listUnknown(ConfigSchema, value), findLine));
  return { ok: true, config: complete(config as Config), warnings: warnings.slice(0, MAX_PROBLEMS) };
}

/**
 * Schemas of settings are open, so that a newer version's file can be read: the parser reports members that it does not know, and
 * keeps them.
 */
function listUnknown(schema: TSchema, value: unknown, path: readonly string[] = []): LocatedProblem[] {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  if (properties === undefined || !isRecord(value)) return [];
  const known = Object.keys(properties);
  return Object.entries(value).flatMap(([name, member]) => {
    const at = [...path, name];
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) return listUnknown(own, member, at);
    if (path.length === 0 && name === "state_version") return [];
    const meant = findNearestMember(name, known);
    const guess = meant === undefined ? "" : ` (did you mean ${[...path, meant].join(".")}?)`;
    return [{ sentence: `${describeMember(at.join("."))} is no setting, and is ignored${guess}`, path: at }];
  });
}

function describeMember(text: string): string {
  const plain = quote(text, MAX_NAME);
  return plain === `"${text}"` ? text : plain;
}

/**
 * The text with the differences between two configurations written into it, and everything else as it was.
 *
 * @param text What `before` was read from; empty for a new file.
 */
export function writeConfig(text: string, before: Config, after: Config): string {
  const document = parseYamlDocument(text);
  if (!isMap(document.contents)) document.contents = document.createNode({}) as unknown as typeof document.contents;
  const isNew = text.trim() === "";
  for (const { path, value } of listDifferences(isNew ? {} : before, after)) {
    if (value === undefined) document.deleteIn(path);
    else {
      makeMaps(document, path.slice(0, -1));
      document.setIn(path, value);
    }
  }
  return document.toString({ indent: INDENT, lineWidth: 0 });
}

/** An existing section without content is not a map yet. */
function makeMaps(document: Document.Parsed | Document, path: readonly string[]): void {
  for (let length = 1; length <= path.length; length += 1) {
    const section = path.slice(0, length);
    if (!isMap(document.getIn(section, true))) document.setIn(section, document.createNode({}));
  }
}

/** Fills in the defaults of absent or null members; the others are validated later. */
function addDefaults(value: unknown): unknown {
  return mergeInto(DEFAULT_CONFIG, value);
}

function mergeInto(defaults: unknown, value: unknown): unknown {
  if (value === undefined || value === null) return structuredClone(defaults);
  if (!isRecord(defaults) || !isRecord(value)) return value;
  const names = new Set([...Object.keys(defaults), ...Object.keys(value)]);
  const entries = [...names].map((name) => [name, mergeInto(defaults[name], value[name])] as const);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** The first name of the encrypted provider. Its file of that time is unusable, but only the user may delete it. */
function translateLegacy(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value.secrets) || value.secrets.provider_type !== "basic") return value;
  return { ...value, secrets: { ...value.secrets, provider_type: "encrypted" } };
}

function complete(config: Config): Config {
  const { provider_type } = config.secrets;
  // Written before the member existed: a configured provider has been set up.
  const setup_completed = config.secrets.setup_completed || provider_type !== "";
  return { ...config, secrets: { ...config.secrets, setup_completed } };
}

interface Difference {
  readonly path: readonly string[];
  /** `undefined`: to be removed. */
  readonly value: unknown;
}

function listDifferences(before: unknown, after: unknown, path: readonly string[] = []): Difference[] {
  if (isRecord(after) && (isRecord(before) || before === undefined)) {
    const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]);
    return [...names].flatMap((name) => listDifferences(before?.[name], after[name], [...path, name]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, value: after }];
}

/** Two members of one line may have the same problem, which is said once. */
function dropRepeated(problems: readonly LocatedProblem[]): LocatedProblem[] {
  const said = new Set<string>();
  return problems.filter(({ sentence }) => !said.has(sentence) && said.add(sentence));
}
