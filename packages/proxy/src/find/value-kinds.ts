/**
 * Values in a query, such as `ABC-12`, `draft.docx` or an address of a page: their own words find nothing, or the wrong thing, and
 * what they are says what is asked for.
 */

/** Kinds of values by how they are written, and the words that stand for them. */
const KINDS: readonly (readonly [written: RegExp, words: string])[] = [
  [/^[A-Z][A-Z0-9]{1,9}-\d{1,9}$/, "issue ticket"],
  [/^#\d{1,9}$/, "issue pull request"],
  [/^!\d{1,9}$/, "merge request"],
  [/^(?:arxiv:)?\d{4}\.\d{4,5}$/i, "arxiv paper"],
  [/^https?:\/\//i, "url page"],
  [/^\w[\w.+-]{0,63}@\w/, "email user"],
];

/** Endings of files' names, by what is in such files. */
const ENDINGS: Readonly<Record<string, string>> = {
  "excel workbook": "xls xlsx xlsm ods",
  "word document": "doc docx odt rtf",
  "presentation slides": "ppt pptx odp key",
  "code file": "c cpp cs go java js jsx kt mjs php py rb rs sh swift ts tsx vue",
  image: "gif jpeg jpg png svg webp",
  video: "mov mp4 webm",
  audio: "mp3 ogg wav",
  "terraform code": "tf tfvars",
  "yaml file": "yml yaml",
  "csv file": "csv tsv",
  "pdf file": "pdf",
  "markdown file": "md",
  "diagram file": "drawio mmd",
};
const BY_ENDING = new Map(
  Object.entries(ENDINGS).flatMap(([words, endings]) => endings.split(" ").map((ending) => [ending, words] as const)),
);

/** @returns The query with what its values are in their place. */
export function replaceValues(query: string): string {
  return query.split(/(\s)/).map(describeValue).join("");
}

function describeValue(word: string): string {
  const value = trimPunctuation(word);
  const kind = KINDS.find(([written]) => written.test(value));
  if (kind !== undefined) return kind[1];
  const dot = value.lastIndexOf(".");
  return (dot >= 0 && BY_ENDING.get(value.slice(dot + 1).toLowerCase())) || word;
}

const AROUND = new Set("\"'`“”‘’()[]{}<>,;:.?!");

/** A leading `!` or `.` belongs to the value. */
function trimPunctuation(word: string): string {
  let from = 0;
  let to = word.length;
  while (from < to && word[from] !== "." && word[from] !== "!" && AROUND.has(word[from] as string)) from += 1;
  while (to > from && AROUND.has(word[to - 1] as string)) to -= 1;
  return word.slice(from, to);
}
