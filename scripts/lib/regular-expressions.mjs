/**
 * Finds the regular expressions of a source, and proves of each that its cost grows no faster than the text. A proof takes
 * seconds and depends on nothing but the expression and the prover, so proofs are part of the repository, in
 * `proven-expressions.json`: `UPDATE_PROOFS=1 npx vitest run --project unit scripts/regular-expressions.test.ts` writes them,
 * and `PROVE_ALL=1`, as each night, proves all of them once more.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { indexLines, visitNodes } from "./visit-nodes.mjs";

/**
 * @typedef {{ readonly line: number, readonly text: string, readonly isLiteral: boolean }} Found `text` is the literal, or
 * the call of `RegExp`.
 */

/** @param {string} path @param {string} source @returns {Found[]} */
export function findRegularExpressions(path, source) {
  const lineAt = indexLines(source);
  /** @type {Found[]} */
  const found = [];
  visitNodes(path, source, (node) => {
    const isLiteral = node.type === "Literal" && "regex" in node;
    const callee = node.type === "NewExpression" || node.type === "CallExpression" ? node.callee : undefined;
    const isCall = callee?.type === "Identifier" && callee.name === "RegExp";
    if (isLiteral || isCall) {
      found.push({ line: lineAt(node.start), text: source.slice(node.start, node.end), isLiteral });
    }
  });
  return found;
}

/** Milliseconds for one expression. Most need less than ten, the slowest five seconds on an idle machine. */
const PROOF_MS = 120_000;

/**
 * @typedef {{ readonly prover: string, readonly proofs: Record<string, string> }} Proofs `prover` is its version. Proofs of
 * another version count for nothing.
 */

/** @param {{ readonly file?: string, readonly isAnew?: boolean }} [options] `isAnew`: whether kept proofs are ignored. */
export async function openProver({ file, isAnew = false } = {}) {
  // Neither a native program nor Java.
  process.env.RECHECK_BACKEND = "pure";
  const { checkSync } = await import("recheck");
  const { version } = createRequire(import.meta.url)("recheck/package.json");
  /** @type {Proofs} */
  const kept =
    file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { prover: "", proofs: {} };
  const isKept = !isAnew && kept.prover === version;
  /** @type {Record<string, string>} */
  const known = isKept ? { ...kept.proofs } : {};
  /** @type {Set<string>} */
  const asked = new Set();

  return {
    /** @param {string} literal @returns {string} `safe`, or what is known: `polynomial`, `exponential`, `unknown`. */
    prove(literal) {
      asked.add(literal);
      known[literal] ??= proveLiteral(literal);
      return known[literal];
    },
    /** Unused proofs: their expressions no longer exist. */
    listUnused: () => Object.keys(isKept ? kept.proofs : {}).filter((literal) => !asked.has(literal)),
    /** Writes the proofs of what was asked, in a stable order. What the prover could not decide in time is no proof. */
    save() {
      if (file === undefined) return;
      const proven = [...asked].sort().filter((literal) => known[literal] !== "unknown");
      const proofs = Object.fromEntries(proven.map((literal) => [literal, known[literal]]));
      writeFileSync(file, `${JSON.stringify({ prover: version, proofs }, null, 2)}\n`);
    },
  };

  /** @param {string} literal */
  function proveLiteral(literal) {
    const end = literal.lastIndexOf("/");
    // The prover does not know the newer form of `u`.
    const flags = literal.slice(end + 1).replace("v", "u");
    // Only the automaton proves; the other checker tries random texts, and its "safe" is an opinion.
    const { status, complexity } = checkSync(literal.slice(1, end), flags, { timeout: PROOF_MS, checker: "automaton" });
    if (status === "safe") return "safe";
    if (status === "vulnerable") return complexity.type;
    return "unknown";
  }
}
