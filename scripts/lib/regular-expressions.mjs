/**
 * Finds the regular expressions of a source, and tells of each whether its cost is proven to grow no faster than the text.
 * Proofs are kept, because they take longer than the rest of the check.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import ts from "typescript";

/**
 * @typedef {{ readonly line: number, readonly text: string, readonly isLiteral: boolean }} Found `text` is the literal, or
 * the call of `RegExp`.
 */

/** @param {string} path @param {string} source @returns {Found[]} */
export function findRegularExpressions(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  /** @type {Found[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isLiteral = ts.isRegularExpressionLiteral(node);
    const isCall = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
    if (isLiteral || isCall) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ line, text: node.getText(), isLiteral });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Milliseconds for one expression. Most need less than ten, the slowest five seconds on an idle machine. */
const PROOF_MS = 120_000;

/** @param {string} [cacheFile] Where proofs are kept. */
export async function openProver(cacheFile) {
  // Neither a native program nor Java.
  process.env.RECHECK_BACKEND = "pure";
  const { checkSync } = await import("recheck");
  /** @type {Record<string, string>} */
  const known = cacheFile && existsSync(cacheFile) ? JSON.parse(readFileSync(cacheFile, "utf8")) : {};

  return {
    /** @param {string} literal @returns {string} `safe`, or what is known: `polynomial`, `exponential`, `unknown`. */
    prove(literal) {
      known[literal] ??= proveLiteral(literal);
      return known[literal];
    },
    save() {
      if (!cacheFile) return;
      mkdirSync(dirname(cacheFile), { recursive: true });
      writeFileSync(cacheFile, JSON.stringify(known, null, 1));
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
