/** Addresses with variables in braces, as templates of resources have them (RFC 6570, the forms that servers use). */

const EXPRESSION = /\{([+#./;?&]?)([^{}]{1,200})\}/g;

/** @returns The names, each once, in order. */
export function listVariables(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list = ""]) => list.split(",").map(readVariableName));
  return [...new Set(names.filter((name) => name !== ""))];
}

export function expandTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(EXPRESSION, (_match, operator: string, list: string) => {
    const given = list
      .split(",")
      .map(readVariableName)
      .filter((name) => Object.hasOwn(values, name));
    const isPlain = operator === "+" || operator === "#";
    const texts = given.map((name) => {
      const text = isPlain ? encodeURI(String(values[name])) : encodeURIComponent(String(values[name]));
      return ";?&".includes(operator) && operator !== "" ? `${name}=${text}` : text;
    });
    if (texts.length === 0) return "";
    const [begin, between] = SEPARATORS[operator] ?? ["", ","];
    return begin + texts.join(between);
  });
}

/** By operator: the text before the values, and between them. */
const SEPARATORS: Readonly<Record<string, readonly [begin: string, between: string]>> = {
  "#": ["#", ","],
  ".": [".", "."],
  "/": ["/", "/"],
  ";": [";", ";"],
  "?": ["?", "&"],
  "&": ["&", "&"],
};

/** Without the mark for lists, and the one for the first characters only. */
function readVariableName(variable: string): string {
  return variable.replace(/\*$|:\d{1,4}$/, "").trim();
}
