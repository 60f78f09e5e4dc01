/**
 * Finds text that the engine cannot survive before the engine reads it: text that is too long, and text so deeply nested that its
 * stack would overflow. Text that the engine only refuses is left to it.
 */
import type { AuthzConfig } from "@toolhive/core";
import type { LocatedProblem } from "@toolhive/core/located-problem";
import {
  ALTERNATIVES_IN_A_LEVEL,
  MAX_PATTERNS_LENGTH,
  MAX_POLICIES_LENGTH,
  MAX_POLICY_DEPTH,
  MAX_POLICY_LENGTH,
} from "./policy-limits.ts";

/** Places in an authorisation file; entities are a text in it. */
export const POLICIES = ["cedar", "policies"];
export const ENTITIES = ["cedar", "entities_json"];

export function placePolicy(index: number): readonly string[] {
  return [...POLICIES, String(index)];
}

/** @returns Every policy that is too long or too deep, and whether all of them are too long together. */
export function findExcess({ policies, entities_json = "" }: AuthzConfig["cedar"]): readonly LocatedProblem[] {
  const length = policies.reduce((sum, text) => sum + text.length, 0);
  if (length > MAX_POLICIES_LENGTH)
    return [
      {
        path: POLICIES,
        sentence: `cedar.policies are ${length} characters long together, and may be ${MAX_POLICIES_LENGTH}`,
      },
    ];
  if (entities_json.length > MAX_POLICIES_LENGTH)
    return [
      {
        path: ENTITIES,
        sentence: `cedar.entities_json is ${entities_json.length} characters long, and may be ${MAX_POLICIES_LENGTH}`,
      },
    ];
  let patterns = 0;
  const problems: LocatedProblem[] = [];
  for (const [index, text] of policies.entries()) {
    if (text.length > MAX_POLICY_LENGTH) {
      const sentence = `cedar.policies[${index}] is ${text.length} characters long, and may be ${MAX_POLICY_LENGTH}`;
      problems.push({ path: placePolicy(index), sentence });
      continue;
    }
    const { depth, patternsLength } = measurePolicy(text);
    patterns += patternsLength;
    if (depth > MAX_POLICY_DEPTH)
      problems.push({
        path: placePolicy(index),
        sentence: `cedar.policies[${index}] is nested ${depth} levels deep, and may be ${MAX_POLICY_DEPTH}: write it as several policies, or alternatives as a list with in`,
      });
  }
  if (patterns > MAX_PATTERNS_LENGTH)
    problems.push({
      path: POLICIES,
      sentence: `the patterns of like in cedar.policies have ${patterns} characters behind their first *, and may have ${MAX_PATTERNS_LENGTH}`,
    });
  const depth = measureJsonDepth(entities_json);
  if (depth > MAX_POLICY_DEPTH)
    problems.push({
      path: ENTITIES,
      sentence: `cedar.entities_json is nested ${depth} levels deep, and may be ${MAX_POLICY_DEPTH}`,
    });
  return problems;
}

/** Strings, comments, words, and the other characters one by one; as Cedar has them. */
const TOKENS = /"(?:\\.|[^"\\])*"?|\/\/[^\n\r]*|[A-Za-z_][A-Za-z0-9_]*|\|\||&&|[=!<>]=|\S/g;
/** What a difference follows, and a sign does not. */
const ENDS_OPERAND = /[\w")\]}]$/;
const COMPARISONS = new Set(["==", "!=", "<", ">", "<=", ">=", "in", "like", "has", "is"]);

/** @returns Levels of the tree that Cedar makes of a text, or a few more: also of a text that is no policy. */
export function measurePolicy(text: string): { readonly depth: number; readonly patternsLength: number } {
  const open = [new Expression()];
  let patternsLength = 0;
  let previous = "";
  let depth = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith("//")) continue;
    const inner = open.at(-1);
    if (inner === undefined) break;
    if (token.startsWith('"')) {
      const first = previous === "like" ? token.indexOf("*") : -1;
      if (first >= 0) patternsLength += token.length - first;
    } else if (token === "(" || token === "[" || token === "{") {
      // Each text in brackets is in the expression around it, also where it is read as a call or an index.
      inner.add(token, previous);
      open.push(new Expression());
    } else if (token === ")" || token === "]" || token === "}") {
      if (open.length > 1) open.pop();
      open.at(-1)?.contain(inner.height + 1);
    } else inner.add(token, previous);
    previous = token;
    // Brackets that are never closed count as well.
    depth = Math.max(depth, open.length - 1);
  }
  while (open.length > 1) {
    const { height } = open.pop() ?? new Expression();
    open.at(-1)?.contain(height + 1);
  }
  return { depth: Math.max(depth, open[0]?.height ?? 0), patternsLength };
}

/** How high the tree of an expression between two brackets is at most. */
class Expression {
  /** Of what is in brackets. */
  #contained = 0;
  /** Of what is before a comma or a semicolon. */
  #before = 0;
  /** Those of the part that is read, and the longest of a part that was. Each operator ends the part of those that bind closer. */
  readonly #alternatives = new Run();
  readonly #conjunctions = new Run();
  readonly #sums = new Run();
  readonly #products = new Run();
  readonly #members = new Run();
  readonly #signs = new Run();
  #conditions = 0;
  #isCompared = false;

  get height(): number {
    const chains = (this.#alternatives.longest + this.#conjunctions.longest) / ALTERNATIVES_IN_A_LEVEL;
    const operators = this.#sums.longest + this.#products.longest + this.#members.longest + this.#signs.longest;
    const compared = this.#isCompared ? 1 : 0;
    const height = this.#contained + Math.ceil(chains) + operators + this.#conditions + compared;
    return Math.max(this.#before, height);
  }

  contain(height: number): void {
    this.#contained = Math.max(this.#contained, height);
  }

  /** @param previous The token before it. */
  add(token: string, previous: string): void {
    // The name of an attribute.
    if (previous === "." && token !== "[") return;
    switch (token) {
      case ",":
      case ";":
        this.#before = this.height;
        this.#clear();
        break;
      case "if":
      case "when":
      case "unless":
        this.#conditions += 1;
        break;
      case "||":
        this.#alternatives.add();
        this.#end(this.#conjunctions, this.#sums, this.#products, this.#members, this.#signs);
        break;
      case "&&":
        this.#conjunctions.add();
        this.#end(this.#sums, this.#products, this.#members, this.#signs);
        break;
      case "+":
        this.#sums.add();
        this.#end(this.#products, this.#members, this.#signs);
        break;
      case "-":
        if (ENDS_OPERAND.test(previous)) {
          this.#sums.add();
          this.#end(this.#products, this.#members, this.#signs);
        } else this.#signs.add();
        break;
      case "*":
        this.#products.add();
        this.#end(this.#members, this.#signs);
        break;
      case "!":
        this.#signs.add();
        break;
      case ".":
      case "[":
        this.#members.add();
        break;
      default:
        if (!COMPARISONS.has(token)) return;
        this.#isCompared = true;
        this.#end(this.#sums, this.#products, this.#members, this.#signs);
    }
  }

  #end(...runs: readonly Run[]): void {
    for (const run of runs) run.end();
  }

  #clear(): void {
    this.#contained = 0;
    this.#conditions = 0;
    this.#isCompared = false;
    for (const run of [this.#alternatives, this.#conjunctions, this.#sums, this.#products, this.#members, this.#signs])
      run.clear();
  }
}

/** Operators of one kind in a row. */
class Run {
  longest = 0;
  #now = 0;

  add(): void {
    this.#now += 1;
    this.longest = Math.max(this.longest, this.#now);
  }

  end(): void {
    this.#now = 0;
  }

  clear(): void {
    this.longest = 0;
    this.#now = 0;
  }
}

/** @returns Arrays and objects in each other, also of a text that is no JSON. */
export function measureJsonDepth(text: string): number {
  let open = 0;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"?|[[\]{}]/gs)) {
    if (token === "[" || token === "{") open += 1;
    else if (token === "]" || token === "}") open = Math.max(0, open - 1);
    depth = Math.max(depth, open);
  }
  return depth;
}
