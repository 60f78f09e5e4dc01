/**
 * The evidence for a page's claims. A number with a unit is read from the code through `<Constant>`; a claim about behaviour that
 * somebody might get wrong is followed by a comment that names its test: shown by FILE: `title of the test`. The comment is one
 * of MDX in a page, of HTML in a plain Markdown file, and of TypeScript where a page is made from the program's texts.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");

const NUMBER =
  /\b(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|a hundred)(?:\s+(?:more|whole))?\s+(?:milliseconds?|seconds?|minutes?|hours?|days?|[KMG]i?B|kB|bytes|characters|lines|times|attempts|processes|processors)\b/gi;
/** Words of limits and impossibility, and cells of a table of yes and no. Readers plan by them, so each needs a test. */
const LIMIT =
  /\b(?:(?:not|im)possible|cannot|can't|only|must|always|never|no|none|nothing|nobody)\b|\|\s*(?:yes|no|—)\s*(?=\|)/i;
/** Imports, headings, titles of what can be unfolded, a table's header, and lines that consist of a component: they claim nothing. */
const HEADING_OR_MARKUP =
  /^(?:import |export |#{1,6} |<[^>]*>$|(?:<details> )?<summary>.*<\/summary>$)|^\|.*\| \|(?: ?:?-+:? ?\|)+$/;
/** How long a reader takes is an author's guess, and says so. */
const READING_TIME = /\b(?:about|in|after) (?:\w+ )?(?:\d+|five|eight|ten|fifteen) minutes\b|note="\d+ minutes/gi;
const EVIDENCE = /(?:\{\/\*|<!--|\/\/)\s*shown by ([\w.-]+): `([^`]+)`\s*(?:\*\/\}|-->|$)/gm;

export interface Evidence {
  /** Name of the test's file, without `.test.ts` or `.e2e.ts` at its end. */
  readonly file: string;
  readonly title: string;
}

/** The parts of a page that are read as one: a paragraph, an item of a list, a row of a table; without code. */
export function listClaims(source: string): string[] {
  const withoutCode = source
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/^([ \t]*)`{3,}[^\n]*\n[\s\S]*?^\1`{3,}$/gm, "")
    .replace(/`[^`\n]+`/g, (code, offset: number, all: string) =>
      /shown by [\w.-]+: $/.test(all.slice(0, offset)) ? code : "code",
    )
    .replace(/<Constant [^>]*\/>/g, "constant");
  return withoutCode.split(/\n\s*\n|\n(?=\s*[-|]\s)|\n(?=\s*\d+\. )/);
}

export function listEvidence(text: string): Evidence[] {
  return [...text.matchAll(EVIDENCE)].map(([, file = "", title = ""]) => ({ file, title }));
}

/** Numbers with a unit that are neither read from the code nor followed by a test. */
export function listBareNumbers(source: string): string[] {
  return listClaims(source)
    .filter((claim) => listEvidence(claim).length === 0)
    .flatMap((claim) => [...claim.replace(READING_TIME, "").matchAll(NUMBER)].map(([number]) => number));
}

/** Claims of limits and impossibility without a test beside them, each on one line. */
export function listUnprovenLimits(source: string): string[] {
  return listClaims(source)
    .filter((claim) => LIMIT.test(claim) && listEvidence(claim).length === 0)
    .map((claim) =>
      claim
        .replace(/\{\/\*[\s\S]*?\*\/\}/g, "")
        .trim()
        .replace(/\s+/g, " "),
    )
    .filter((claim) => LIMIT.test(claim) && !HEADING_OR_MARKUP.test(claim));
}

/** Claims of a page that were there before {@link listUnprovenLimits} was asked of every page. */
export function readWaitingLimits(file: string): readonly string[] {
  const text = readFileSync(path.join(import.meta.dirname, "waiting-limits.json"), "utf8");
  const waiting: Partial<Record<string, readonly string[]>> = JSON.parse(text);
  return waiting[file] ?? [];
}

/** Texts of the program, of which pages are made. */
export function listTextSources(): { readonly file: string; readonly source: string }[] {
  const folder = "packages/cli/src/topics";
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .sort()
    .map((file) => ({ file: `${folder}/${file}`, source: readFileSync(path.join(ROOT, folder, file), "utf8") }))
    .filter(({ source }) => listEvidence(source).length > 0);
}

/** Every test file of the repository by its name, with what it holds. */
export function readTestFiles(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const folder of ["packages", "testing", "website", "scripts"]) {
    for (const file of readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      const name = /([^/\\]+?)(?:\.test\.ts|\.e2e\.ts)$/.exec(file)?.[1];
      if (name === undefined || /node_modules|[/\\]build[/\\]/.test(file)) continue;
      found.set(name, [...(found.get(name) ?? []), readFileSync(path.join(ROOT, folder, file), "utf8")]);
    }
  }
  return found;
}

/**
 * @returns Whether a file of that name has a test with exactly that title, or with one that continues with a reason to skip it.
 */
export function hasTest({ file, title }: Evidence, files: ReadonlyMap<string, readonly string[]>): boolean {
  const written = [`"${title}"`, `\`${title}\``, `\`${title}\${needs`];
  return (files.get(file) ?? []).some((content) => written.some((each) => content.includes(each)));
}
