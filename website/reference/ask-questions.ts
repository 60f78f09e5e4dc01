/** Questions of readers that follow from what a generated page is about: the summary of a command, the short text of an error. */

/** As all questions: longer ones are no question that people type. */
const MAX_LENGTH = 80;

/** `Stop a server` becomes `Which command stops a server?`. @returns None for a text that is no task. */
export function askWhich(thing: string, summary: string): string[] {
  const [verb = "", second = "", third = "", ...rest] = cutClauses(summary).split(" ");
  if (verb.endsWith("s")) return [];
  const isPair = second === "and";
  const words = [conjugate(verb), second, isPair ? conjugate(third) : third, ...rest].filter((word) => word !== "");
  return keep(`Which ${thing} ${words.join(" ")}?`);
}

/** `the port is in use` becomes `What do I do when the port is in use?`. */
export function askWhatToDo(state: string): string[] {
  return keep(`What do I do when ${state}?`);
}

/** The first clause, where the whole is long. */
function cutClauses(summary: string): string {
  const text = summary.replace(/\.$/, "");
  return text.length < MAX_LENGTH - 20 ? text : (text.split(/[,;:]| that /)[0] ?? text);
}

function keep(question: string): string[] {
  return question.length > MAX_LENGTH || question.indexOf("?") < question.length - 1 ? [] : [question];
}

/** The third person of a verb: `list`, `lists`. */
function conjugate(verb: string): string {
  const word = verb.toLowerCase();
  if (/(?:s|x|z|ch|sh|o)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
