/** The syntax tree of a source in JavaScript or TypeScript. */
import { parseSync, visitorKeys } from "oxc-parser";

/** @typedef {import("oxc-parser").Node} Node */

/**
 * @param {string} path Its ending says which language the source is in.
 * @param {string} source
 * @param {(node: Node, parent: Node | undefined) => void} visit Gets each node before those within it.
 * @throws {SyntaxError} When the source cannot be parsed.
 */
export function visitNodes(path, source, visit) {
  const { program, errors } = parseSync(path, source);
  const [first] = errors;
  if (first !== undefined) throw new SyntaxError(`${path}: ${first.message}`);
  /** @param {Node} node @param {Node} [parent] */
  const walk = (node, parent) => {
    visit(node, parent);
    for (const key of visitorKeys[node.type] ?? []) {
      for (const child of [Reflect.get(node, key)].flat()) if (child) walk(child, node);
    }
  };
  walk(program);
}

/** @param {string} source @returns {(offset: number) => number} The line of an offset in the source; the first is 1. */
export function indexLines(source) {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
