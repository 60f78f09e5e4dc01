/** What our texts hold to, as functions that return the sentences or lines that do not. */
import type { PageText } from "./parse-text.ts";
import { listWords } from "./parse-text.ts";

/** Words at most; a longer sentence holds two thoughts. */
export const MAX_SENTENCE_WORDS = 38;
/** Mean of the words of a page's sentences. */
export const MAX_MEAN_WORDS = 17;
/** Flesch-Kincaid grade of a page; newspapers are at about 11. */
export const MAX_GRADE = 10.5;
/** Share of sentences in the passive voice. */
export const MAX_PASSIVE_SHARE = 0.4;

const BANNED = [
  "simply",
  "just",
  "easy",
  "easily",
  "obviously",
  "of course",
  "please",
  "seamless",
  "seamlessly",
  "powerful",
  "robust",
  "leverage",
  "utilize",
  "whitelist",
  "blacklist",
  "sanity",
];

/**
 * Words that once stood here for something of our own, with what a technical editor would write. A page that explains one of them
 * quotes it as code.
 */
const DIALECT: readonly { readonly words: RegExp; readonly say: string }[] = [
  { words: /\b(?:hears?|heard)\b/i, say: "receives, is notified" },
  { words: /\bmend(?:s|ed|ing)?\b/i, say: "fix" },
  { words: /\bshall\b/i, say: "must" },
  { words: /\btold\b/i, say: "printed, reported" },
  { words: /\b(?:go|goes|went) on\b/i, say: "keeps running, continues" },
  { words: /\bhold(?:s|ing)? up\b/i, say: "delays" },
  { words: /\blet (?:\w+ ){0,2}pass\b/i, say: "allow" },
  { words: /\bpinned away\b/i, say: "held back" },
  { words: /\bprotocol eras?\b/i, say: "every protocol revision" },
  { words: /\bis no \w+ any more\b/i, say: "no longer works" },
  { words: /\bthat (?:is|are) there already\b/i, say: "existing" },
  { words: /\bas far as (?:it|they) (?:is|are) known\b/i, say: "which ones" },
  { words: /\beverybody for themselves\b/i, say: "each person" },
  { words: /\bmakes? (?:it|them) so\b/i, say: "applies" },
  { words: /\bmeans? harm\b/i, say: "is malicious" },
  { words: /\b(?:put|puts|putting) \w+ into (?:it|them|a group|the group)\b/i, say: "add" },
  { words: /^What (?:is|was|are) (?:not )?\w+(?:ed|en)\b(?!.*\?$)/i, say: "the thing itself as the subject" },
];

/** Headings that tasks share; every other heading of a task begins with a verb. */
const FIXED_HEADINGS = [
  "Before you begin",
  "What you have now",
  "Next steps",
  "If something went wrong",
  "Troubleshooting",
  "Related",
  "Limits",
];

/** First words of headings that ask the reader to do something, or to read. */
const VERBS =
  /^(add|allow|apply|ask|audit|bring|build|call|change|check|choose|clean|close|complete|configure|connect|convert|create|delete|deploy|disconnect|export|find|follow|forget|get|give|hand|import|inspect|install|keep|know|label|let|limit|list|look|manage|mount|open|pass|pin|point|prove|pull|put|quit|reach|read|recover|remove|replace|report|require|restart|rotate|run|save|search|see|send|set|sign|start|stay|stop|store|take|tidy|trust|try|understand|undo|uninstall|update|upgrade|use|verify|walk|watch|wait|work|write|move|share|generate|drive|filter|deny|serve|test|unlock|rebuild|repair|name|review|register|export|turn|handle|group|secure|operate|control|observe|access|enable|disable|load|identify|fix|diagnose|browse|expose|monitor|lock|relax|restore|rename)\b/i;

const PASSIVE =
  /\b(?:am|is|are|was|were|be|been|being)\b(?: \w+ly| not| never| also| then)? (?:\w+ed|\w+en|made|kept|put|told|sent|read|set|found|built|held|written|shown|said|lost|run)\b/i;

export function bannedWords(text: PageText): string[] {
  return text.sentences.flatMap(({ text: sentence, line }) =>
    BANNED.filter((word) => new RegExp(`\\b${word}\\b`, "i").test(sentence)).map((word) => `line ${line}: "${word}"`),
  );
}

/** @returns Sentences and headings in words of our own. */
export function dialect(text: PageText): string[] {
  return [...text.sentences, ...text.headings].flatMap(({ text: sentence, line }) =>
    DIALECT.filter(({ words }) => words.test(sentence.replace(/`[^`]*`/g, "code"))).map(
      ({ say }) => `line ${line}: ${sentence} (say: ${say})`,
    ),
  );
}

/** Such as `Open it` and `Put servers into it`. */
const PRONOUN = /^\w+(?: \w{2,4})? (?:it|them)\b|\b(?:into|from|of) (?:it|them)$/i;

/** A heading is read alone, in a list of contents and among results of the search: it names its thing. */
export function pronounHeadings({ headings }: PageText): string[] {
  return headings
    .filter(({ text }) => PRONOUN.test(text) && !/\?$/.test(text))
    .map(({ text, line }) => `line ${line}: ${text}`);
}

export function exclamations(text: PageText): string[] {
  return [...text.sentences, ...text.headings]
    .filter(({ text: sentence }) => sentence.includes("!"))
    .map(({ line, text: sentence }) => `line ${line}: ${sentence}`);
}

export function longSentences(text: PageText): string[] {
  return text.sentences
    .map(({ text: sentence, line }) => ({ sentence, line, length: listWords(sentence).length }))
    .filter(({ length }) => length > MAX_SENTENCE_WORDS)
    .map(({ sentence, line, length }) => `line ${line}, ${length} words: ${sentence}`);
}

export function meanWords({ sentences }: PageText): number {
  return sentences.reduce((sum, { text }) => sum + listWords(text).length, 0) / Math.max(sentences.length, 1);
}

export function passiveShare({ sentences }: PageText): number {
  return sentences.filter(({ text }) => PASSIVE.test(text)).length / Math.max(sentences.length, 1);
}

/** Sentence case: after the first word, capitals belong to names, and names have them within or are known. */
export function titleCaseHeadings({ headings }: PageText): string[] {
  const isName = (word: string) =>
    /[A-Z].*[A-Z]|\d/.test(word) ||
    /^(Docker|Podman|Rancher|Desktop|Colima|Cursor|Code|Claude|Kubernetes|Helm|Node|Cedar|Visual|Studio|Windows|Linux|Python|Java|Script|TypeScript|ToolHive|Origin|Host|Prometheus|Inspector|English|Roo|Cline|Apple|Raspberry|Pi|HashiCorp|Vault|Compose|Service|NetworkPolicy|Homebrew|WinGet|Go\b)/.test(
      word,
    );
  return headings
    .filter(({ text }) =>
      text
        .split(/(?<=[.?]) /)
        .flatMap((sentence) => sentence.split(/\s+/).slice(1))
        .some((word) => /^[A-Z][a-z]/.test(word) && !isName(word)),
    )
    .map(({ text, line }) => `line ${line}: ${text}`);
}

/** Whether a label of the sidebar or a heading asks the reader to do something. */
export function beginsWithVerb(text: string): boolean {
  return VERBS.test(text);
}

export function headingsWithoutVerb({ headings }: PageText): string[] {
  return headings
    .filter(({ text }) => !FIXED_HEADINGS.includes(text) && !beginsWithVerb(text) && !/\?$/.test(text))
    .map(({ text, line }) => `line ${line}: ${text}`);
}

export function headingProblems({ headings }: PageText): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let level = 1;
  for (const heading of headings) {
    if (heading.level > level + 1) problems.push(`line ${heading.line}: a level is left out before "${heading.text}"`);
    if (seen.has(heading.text)) problems.push(`line ${heading.line}: "${heading.text}" is there twice`);
    if (/[.:]$/.test(heading.text)) problems.push(`line ${heading.line}: "${heading.text}" ends like a sentence`);
    seen.add(heading.text);
    level = heading.level;
  }
  return problems;
}

export function poorLinks({ links }: PageText): string[] {
  return links
    .filter(({ text, url }) => /^(here|this|link|click here|this page|read more)$/i.test(text.trim()) || text === url)
    .map(({ line, text }) => `line ${line}: [${text}]`);
}
