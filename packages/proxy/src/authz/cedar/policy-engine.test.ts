import { expect, test } from "vitest";
import { Cedar } from "./cedar.ts";
import { findPolicyProblem } from "./find-policy-problem.ts";
import { askEngine, EngineFailure } from "./policy-engine.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function open(...policies: string[]): Cedar {
  return Cedar.open({ version: "1.0", type: "cedarv1", cedar: { policies, entities_json: "[]" } }, SILENT);
}

function ask(cedar: Cedar, name: string, args: Readonly<Record<string, unknown>> = {}): boolean {
  return cedar.isAllowed({ id: "ada", claims: { sub: "ada" } }, { action: "call_tool", name, args });
}

/** What no text of a tenant gets to do: it ends the stack of the engine. */
function breakEngine(): void {
  const depth = 5_000;
  const text = `permit(principal, action, resource) when { ${"(".repeat(depth)}true${")".repeat(depth)} };`;
  askEngine((engine) => engine.checkParsePolicySet({ staticPolicies: { text } }));
}

const ADD = 'permit(principal, action, resource == Tool::"add");';

test("policies go on deciding after the engine has failed at something else", () => {
  const cedar = open(ADD);
  expect(ask(cedar, "add")).toBe(true);

  expect(breakEngine).toThrow(EngineFailure);

  // Other names than before, so that no remembered decision answers.
  expect(ask(cedar, "add", { n: 1 })).toBe(true);
  expect(ask(cedar, "subtract")).toBe(false);
  expect(ask(open(ADD), "add")).toBe(true);
});

test("a failed question is asked once more, on another engine, and no more than that", () => {
  const engines = new Set<unknown>();

  expect(() =>
    askEngine((engine) => {
      engines.add(engine);
      throw new RangeError("Maximum call stack size exceeded");
    }),
  ).toThrow("the policy engine failed (Maximum call stack size exceeded)");
  expect(engines.size).toBe(2);

  let failures = 0;
  const answer = askEngine((engine) => {
    if (failures === 0) {
      failures += 1;
      throw new RangeError("memory access out of bounds");
    }
    return engine.getCedarVersion();
  });
  expect(answer).toMatch(/^\d+\.\d+/);
});

test("tenants with hostile texts change no answer of the others", () => {
  const tenants = [
    { cedar: open(ADD), allowed: ["add"], denied: ["subtract", "remove"] },
    {
      cedar: open("permit(principal, action, resource);", 'forbid(principal, action, resource == Tool::"remove");'),
      allowed: ["add", "subtract"],
      denied: ["remove"],
    },
    { cedar: open('permit(principal == Client::"bob", action, resource);'), allowed: [], denied: ["add", "subtract"] },
  ];
  const random = createRandom(31);
  for (let round = 0; round < 60; round += 1) {
    const text = writeHostile(random);
    // It is refused, or it is no danger: both are answers, and no exception.
    expect(findPolicyProblem({ version: "1.0", type: "cedarv1", cedar: { policies: [text] } }) ?? "").not.toContain(
      "engine failed",
    );
    if (round % 10 === 0) expect(breakEngine).toThrow(EngineFailure);
    for (const { cedar, allowed, denied } of tenants) {
      for (const name of allowed) expect(ask(cedar, name, { round }), `${name} after ${text.slice(0, 200)}`).toBe(true);
      for (const name of denied) expect(ask(cedar, name, { round }), `${name} after ${text.slice(0, 200)}`).toBe(false);
    }
  }
});

test.each([
  ["deep arguments", { a: nest(5_000) }],
  ["a long argument", { a: "x".repeat(10_000_000) }],
  ["many arguments", Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a${index}`, index]))],
  ["names of the engine's own", { __entity: { type: "A", id: "a" }, __extn: 1, __expr: "(".repeat(5_000) }],
  ["names of JavaScript", JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":2}')],
])("%s do not break the engine", (_, args) => {
  const cedar = open("permit(principal, action, resource) when { context == {} || true };", ADD);

  for (const claims of [{ sub: "ada" }, { sub: "ada", deep: nest(5_000), roles: [nest(5_000)] }]) {
    const verdict = cedar.decide({ id: "ada", claims }, { action: "call_tool", name: "add", args });
    expect(verdict.problem ?? "").not.toContain("engine failed");
  }
  expect(ask(open(ADD), "add", { n: 2 })).toBe(true);
});

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const OPENERS = [
  "(",
  "[",
  "{a: ",
  "!(",
  "-(",
  "if true then ",
  "decimal(",
  "[1].contains(",
  "(1 + ",
  "(context.a.b && ",
];
const CLOSERS = [")", "]", "}", ")", ")", " else true", ")", ")", ")", ")"];
const PIECES = [
  "true",
  "1",
  "context.a",
  '"x"',
  "principal",
  " || ",
  " && ",
  " + ",
  " in ",
  " has a",
  ".a",
  '["a"]',
  ";",
  ",",
  "//\r",
  '"',
  "\\",
  "?principal",
  "Tool::",
  "when {",
  "unless {",
  "}",
  ")",
  "]",
  "\u0000",
  "🦜",
];

function writeHostile(random: () => number): string {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const levels = Math.floor(random() ** 3 * 3_000);
  const chosen = Array.from({ length: levels }, () => Math.floor(random() * OPENERS.length));
  const opened = chosen.map((index) => OPENERS[index]).join("");
  const closed = chosen
    .toReversed()
    .map((index) => CLOSERS[index])
    .join("");
  const middle = Array.from({ length: Math.floor(random() * 20) }, () => pick(PIECES)).join("");
  const chain = pick([" || false", " && true", " + 1", ".a", ".contains(1)", '["a"]', " - 1"]).repeat(
    Math.floor(random() ** 2 * 2_000),
  );
  return `permit(principal, action, resource) when { ${opened}${middle || "true"}${closed}${chain} };`;
}

/** Park and Miller's. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
