/** Where a text is not JSON, in place of the parser's own words, which quote the text and may show a secret. */
import { findNodeAtLocation, type Node, type ParseError, parse, parseTree } from "jsonc-parser";

/** @returns Completes "it cannot be used: …". */
export function describeJsonFault(text: string): string {
  if (text.trim() === "") return "it is empty";
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  return first ? describeFaultAt(text, first) : "it is not JSON";
}

/** @returns Half a sentence: `line 3 is not JSON`. */
export function describeFaultAt(text: string, { offset }: ParseError): string {
  return `line ${countLine(text, offset)} is not JSON`;
}

/** @returns Finds the line of the name that is nearest to a value, counted from 1. */
export function createJsonLineFinder(text: string): (path: readonly string[]) => number {
  // Only a text with problems is parsed for their lines.
  let parsed: { readonly root: Node | undefined } | undefined;
  return (path) => {
    parsed ??= { root: parseTree(text) };
    const { root } = parsed;
    for (let length = path.length; root !== undefined && length > 0; length -= 1) {
      const parts = path.slice(0, length).map((part) => (/^\d{1,15}$/.test(part) ? [part, Number(part)] : [part]));
      const node = findNode(root, parts);
      if (node !== undefined) return countLine(text, (node.parent?.type === "property" ? node.parent : node).offset);
    }
    return 1;
  };
}

/** @param parts Each with what it may be: a number can be the name of a member, or a position. */
function findNode(root: Node, parts: readonly (readonly (string | number)[])[]): Node | undefined {
  let node: Node | undefined = root;
  for (const readings of parts) {
    const owner: Node | undefined = node;
    const wanted: string | number | undefined = readings.find(
      (part) => (typeof part === "number") === (owner?.type === "array"),
    );
    node = owner && wanted !== undefined ? findNodeAtLocation(owner, [wanted]) : undefined;
  }
  return node;
}

function countLine(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
