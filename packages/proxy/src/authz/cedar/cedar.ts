/** Cedar itself: reads the policies once and decides policy queries. */
import { createHash } from "node:crypto";
import type { CedarValueJson, CheckParseAnswer, TypeAndId } from "@cedar-policy/cedar-wasm/nodejs";
import type { AuthzConfig, Logger, PolicyVerdict } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { addProblems, type LocatedProblem, listSentences, moveProblems } from "@toolhive/core/located-problem";
import type { Caller } from "../../messages/caller.ts";
import { KnownNames } from "../../messages/member-names.ts";
import { findArguments } from "./cedar-arguments.ts";
import { EntityStore, findAncestryProblem, parseEntities } from "./cedar-entities.ts";
import { convertArguments, convertClaims, isBroken, UnclearValue } from "./cedar-values.ts";
import { findMentionedAttributes, type MentionedAttributes } from "./mentioned-attributes.ts";
import { ENTITIES, findExcess, placePolicy } from "./policy-bounds.ts";
import { askEngine, EngineFailure, PreparedPolicies } from "./policy-engine.ts";
import { MAX_NAME_LENGTH, MAX_POLICY_DEPTH } from "./policy-limits.ts";
import type { Action, PolicyQuery } from "./query.ts";

/** Cached decisions: lists repeat the same query for every page and every client. */
const MAX_REMEMBERED = 4_096;
/** Characters of a query above which its decision is not cached. */
const MAX_KEY_LENGTH = 4_096;

/** Of a policy's name in the engine; its position in the file follows. */
const POLICY_PREFIX = "policy";

type Attributes = Record<string, CedarValueJson>;

const DENIED: PolicyVerdict = { isAllowed: false, policies: [] };

const RESOURCES: Readonly<
  Record<Action, { readonly type: string; readonly operation: string; readonly feature: string }>
> = {
  call_tool: { type: "Tool", operation: "call", feature: "tool" },
  get_prompt: { type: "Prompt", operation: "get", feature: "prompt" },
  read_resource: { type: "Resource", operation: "read", feature: "resource" },
};

interface CedarParts {
  readonly policies: PreparedPolicies;
  readonly entities: EntityStore;
  readonly mentioned: MentionedAttributes;
  readonly namedArguments: KnownNames;
  readonly log: Logger;
}

export class Cedar {
  readonly #policies: PreparedPolicies;
  readonly #entities: EntityStore;
  readonly #mentioned: MentionedAttributes;
  readonly #log: Logger;
  readonly #namedArguments: KnownNames;
  readonly #remembered = new Map<string, boolean>();

  private constructor(parts: CedarParts) {
    this.#policies = parts.policies;
    this.#entities = parts.entities;
    this.#mentioned = parts.mentioned;
    this.#namedArguments = parts.namedArguments;
    this.#log = parts.log;
  }

  /** @throws {ThvError} `INVALID_ARGUMENT` with every problem of the policies and entities. */
  static open({ cedar }: AuthzConfig, log: Logger): Cedar {
    const { entities, problems } = checkAll(cedar);
    if (entities === undefined) throw createInvalidFileError(problems);
    const texts = Object.fromEntries(cedar.policies.map((text, index) => [`${POLICY_PREFIX}${index}`, text]));
    const id = createHash("sha256").update(JSON.stringify(texts)).digest("base64");
    const policies = new PreparedPolicies(id, texts);
    try {
      askEngine((engine) => policies.prepareIn(engine));
      const trees = cedar.policies.map((text) => askEngine((engine) => engine.policyToJson(text)));
      const mentioned = findMentionedAttributes(trees);
      const namedArguments = new KnownNames(findArguments(trees));
      return new Cedar({ policies, entities: new EntityStore(entities), mentioned, namedArguments, log });
    } catch (error) {
      if (error instanceof EngineFailure) throw createInvalidFileError([{ path: ["cedar"], sentence: error.message }]);
      throw error;
    }
  }

  /** @returns Every problem of the policies and entities, with its place. The engine keeps nothing of them. */
  static findProblems({ cedar }: AuthzConfig): readonly LocatedProblem[] {
    return checkAll(cedar).problems;
  }

  /** Denies by default: a query passes only if a policy permits it, none forbids it, and evaluation raises no error. */
  isAllowed(caller: Caller, query: PolicyQuery): boolean {
    const { action, name } = query;
    try {
      const attributes = this.#readAttributes(query);
      const key = JSON.stringify([caller.claims, action, name, attributes]);
      const known = this.#remembered.get(key);
      if (known !== undefined) return known;
      const { isAllowed } = this.#logProblem(this.#decide(caller, query, attributes), action);
      if (key.length <= MAX_KEY_LENGTH) {
        if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
        this.#remembered.set(key, isAllowed);
      }
      return isAllowed;
    } catch (error) {
      return this.#logProblem(denyUndecided(error), action).isAllowed;
    }
  }

  /** The same with its reasons, and not cached: for people. */
  decide(caller: Caller, query: PolicyQuery): PolicyVerdict {
    try {
      return this.#decide(caller, query, this.#readAttributes(query));
    } catch (error) {
      return denyUndecided(error);
    }
  }

  /** @throws {UnclearValue} */
  #readAttributes({ name, args }: PolicyQuery): Attributes {
    if (name.length > MAX_NAME_LENGTH) throw new UnclearValue(`a name is longer than ${MAX_NAME_LENGTH} characters`);
    return convertArguments(args, { named: this.#namedArguments, mentioned: this.#mentioned });
  }

  /** @throws {EngineFailure} */
  #decide({ claims }: Caller, { action, name }: PolicyQuery, ofArguments: Attributes): PolicyVerdict {
    const { sub } = claims;
    if (typeof sub !== "string" || sub === "" || isBroken(sub) || isBroken(name))
      return { ...DENIED, problem: "no subject" };
    const { type, operation, feature } = RESOURCES[action];
    const id = action === "read_resource" ? sanitize(name) : name;
    const uids = {
      principal: { type: "Client", id: sub },
      action: { type: "Action", id: action },
      resource: { type, id },
    } satisfies Record<string, TypeAndId>;
    const ofCaller = convertClaims(claims);
    const question = {
      ...uids,
      context: { ...ofCaller, ...ofArguments },
      entities: this.#entities.with([
        { uid: uids.principal, attrs: ofCaller },
        { uid: uids.action, attrs: { operation: action } },
        {
          uid: uids.resource,
          attrs: { ...ofArguments, name: id, operation, feature, ...(action === "read_resource" && { uri: name }) },
        },
      ]),
    };
    const answer = askEngine((engine) =>
      engine.statefulIsAuthorized({ ...question, preparsedPolicySetId: this.#policies.prepareIn(engine) }),
    );
    if (answer.type === "failure")
      return { ...DENIED, problem: answer.errors.map(({ message }) => message).join("; ") };
    const { decision, diagnostics } = answer.response;
    if (diagnostics.errors.length > 0) {
      const problem = diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${error.message}`).join("; ");
      return { ...DENIED, problem };
    }
    const policies = diagnostics.reason.map((policyId) => Number(policyId.slice(POLICY_PREFIX.length)));
    return { isAllowed: decision === "allow", policies: policies.sort((one, other) => one - other) };
  }

  #logProblem(verdict: PolicyVerdict, action: Action): PolicyVerdict {
    const { problem: reason } = verdict;
    if (reason !== undefined) this.#log.info({ action, reason }, "denied because policies cannot decide");
    return verdict;
  }
}

function denyUndecided(error: unknown): PolicyVerdict {
  if (error instanceof UnclearValue || error instanceof EngineFailure) return { ...DENIED, problem: error.message };
  throw error;
}

/** @returns The entities, unless there is any problem. */
function checkAll(cedar: AuthzConfig["cedar"]): {
  readonly entities?: Exclude<ReturnType<typeof parseEntities>, string>;
  /** Each with its place in the file. */
  readonly problems: readonly LocatedProblem[];
} {
  const { policies, entities_json = "" } = cedar;
  const excess = findExcess(cedar);
  if (excess.length > 0) return { problems: excess };
  const problems: LocatedProblem[] = [];
  for (const [index, text] of policies.entries()) {
    const staticPolicies = { [`${POLICY_PREFIX}${index}`]: text };
    const answer = check(() => askEngine((engine) => engine.checkParsePolicySet({ staticPolicies })));
    if (answer.type === "success") continue;
    for (const { message, sourceLocations } of answer.errors) {
      const sentence = `cedar.policies[${index}]${describePlace(text, sourceLocations?.[0]?.start)}: ${message}`;
      problems.push({ path: placePolicy(index), sentence });
    }
  }
  const entities = parseEntities(entities_json);
  if (typeof entities === "string") return { problems: [...problems, { path: ENTITIES, sentence: entities }] };
  for (const [index, entity] of entities.entries()) {
    const answer = check(() => askEngine((engine) => engine.checkParseEntities({ entities: [entity] })));
    if (answer.type === "failure") {
      addProblems(
        problems,
        ENTITIES,
        answer.errors.map(({ message }) => `cedar.entities_json[${index}]: ${message}`),
      );
    }
  }
  if (problems.length > 0) return { problems };
  const ancestry = findAncestryProblem(entities);
  if (ancestry !== undefined) return { problems: [{ path: ENTITIES, sentence: ancestry }] };
  const whole = check(() => askEngine((engine) => engine.checkParseEntities({ entities })));
  if (whole.type === "failure") {
    const problems = whole.errors.map(({ message }) => ({
      path: ENTITIES,
      sentence: `cedar.entities_json: ${message}`,
    }));
    return { problems };
  }
  return { entities, problems };
}

/** @returns That the engine failed, as a problem of what it was to read. */
function check(ask: () => CheckParseAnswer): CheckParseAnswer {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { type: "failure", errors: [{ message: error.message, help: null, code: null, url: null, severity: null }] };
  }
}

/** @param start Bytes before the place. */
function describePlace(text: string, start: number | undefined): string {
  if (start === undefined) return "";
  const lines = Buffer.from(text).subarray(0, start).toString("utf8").split("\n");
  return `, line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The reference's form of a URI as an entity's id (api-behaviour 10.5). */
function sanitize(uri: string): string {
  return uri.replace(/[:/\\?&=# .]/g, "_");
}

function createInvalidFileError(problems: readonly LocatedProblem[]): ThvError {
  return new ThvError("INVALID_ARGUMENT", `The authorisation file is wrong: ${listSentences(problems).join("; ")}.`, {
    problems: moveProblems(problems, "authz_config"),
    hint: `Each item of cedar.policies is one Cedar policy of at most ${MAX_POLICY_DEPTH} levels; entities have a uid of type and id.`,
  });
}
