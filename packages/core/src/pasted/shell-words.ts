/**
 * Lines of a shell as words, for reading and never for running: quotes, escapes, comments and lines that go on are resolved,
 * variables and commands in them stay as placeholders, and whatever joins several commands is refused.
 */

export interface ShellCommand {
  readonly words: readonly string[];
}

/** Half a sentence: why a line cannot be read. */
export interface ShellProblem {
  readonly problem: string;
}

const MAX_COMMANDS = 200;
const MAX_WORDS = 2_000;
/** What a backslash makes plain. Before any other character it stays, because it belongs to a path of Windows. */
const ESCAPED = new Set(" \t\"'\\$`&|;<>()#*?!~{}[]=");
const OPERATORS = ["&&", "||", "|&", "|", ";", "&", ">>", ">", "<<", "<", "(", ")"];
/** What instructions write where a value belongs: `<your token>`. */
const STAND_IN = /<[A-Za-z][^<>\n|&;]{0,80}>/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?!-]/y;
const ENVIRONMENT = /env:([A-Za-z_][A-Za-z0-9_]*)/y;

export function parseShell(text: string): readonly (ShellCommand | ShellProblem)[] {
  return new ShellReader(text).read();
}

class ShellReader {
  readonly #text: string;
  readonly #found: (ShellCommand | ShellProblem)[] = [];
  #at = 0;
  #words: string[] = [];
  /** Absent between words; an empty one is a word in quotes. */
  #word: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly (ShellCommand | ShellProblem)[] {
    while (this.#at < this.#text.length && this.#found.length < MAX_COMMANDS) this.#step();
    this.#endCommand();
    if (this.#at < this.#text.length) this.#found.push({ problem: `it has more than ${MAX_COMMANDS} commands` });
    return this.#found;
  }

  #step(): void {
    const letter = this.#text.charAt(this.#at);
    if (letter === "\n") {
      this.#at += 1;
      this.#endCommand();
    } else if (/\s/.test(letter)) {
      this.#at += 1;
      this.#endWord();
    } else if (letter === "#" && this.#word === undefined) this.#at = this.#findLineEnd();
    else if (letter === "'") this.#readSingle();
    else if (letter === '"') this.#readDouble();
    else if (letter === "\\") this.#readBackslash();
    else if (letter === "$") this.#append(this.#readDollar());
    else if (this.#isLineGoingOn(letter)) this.#at = this.#findLineEnd() + 1;
    else if (letter === "`") this.#readBackquotes();
    else this.#readPlain(letter);
  }

  #readPlain(letter: string): void {
    const standIn = this.#match(STAND_IN);
    const operator = OPERATORS.find((each) => this.#text.startsWith(each, this.#at));
    if (standIn !== undefined) this.#append(standIn);
    else if (operator !== undefined) this.#refuse(describeOperator(operator), operator === "<<");
    else {
      this.#append(letter);
      this.#at += 1;
    }
  }

  #append(text: string): void {
    this.#word = (this.#word ?? "") + text;
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
    if (this.#words.length > MAX_WORDS) this.#refuse(`it has more than ${MAX_WORDS} words`, true);
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.#found.push({ words: this.#words });
    this.#words = [];
  }

  /** @param isEnd Whether what follows cannot be told apart from this line. */
  #refuse(problem: string, isEnd = false): void {
    this.#found.push({ problem });
    this.#words = [];
    this.#word = undefined;
    // The rest of the line, and of those that it goes on in, belongs to it.
    do this.#at = this.#findLineEnd() + 1;
    while (this.#at < this.#text.length && /[\\&|]\s*$/.test(this.#text.slice(Math.max(0, this.#at - 8), this.#at)));
    if (isEnd) this.#at = this.#text.length;
  }

  #findLineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end === -1 ? this.#text.length : end;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #readSingle(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) this.#refuse("a quote ' is not closed", true);
    else {
      this.#append(this.#text.slice(this.#at + 1, end));
      this.#at = end + 1;
    }
  }

  #readDouble(): void {
    this.#append("");
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const letter = this.#text.charAt(this.#at);
      if (letter === '"') {
        this.#at += 1;
        return;
      }
      if (letter === "$") this.#append(this.#readDollar());
      else if (letter === "\\" && /["\\$`\n]/.test(this.#text.charAt(this.#at + 1))) {
        if (this.#text.charAt(this.#at + 1) !== "\n") this.#append(this.#text.charAt(this.#at + 1));
        this.#at += 2;
      } else {
        this.#append(letter);
        this.#at += 1;
      }
    }
    this.#refuse('a quote " is not closed', true);
  }

  #readBackslash(): void {
    const next = this.#text.charAt(this.#at + 1);
    const lineEnd = this.#findLineEnd();
    if (this.#text.slice(this.#at + 1, lineEnd).trim() === "") {
      // Blanks behind it are no part of the next line's first word.
      if (next !== "\n" && next !== "\r") this.#endWord();
      this.#at = lineEnd + 1;
    } else {
      this.#append(ESCAPED.has(next) ? next : `\\${next}`);
      this.#at += 2;
    }
  }

  /** How PowerShell and the prompt of Windows write that a line goes on. */
  #isLineGoingOn(letter: string): boolean {
    if ((letter !== "`" && letter !== "^") || this.#word !== undefined) return false;
    return this.#text.slice(this.#at + 1, this.#findLineEnd()).trim() === "" && this.#findLineEnd() < this.#text.length;
  }

  #readBackquotes(): void {
    const end = this.#text.indexOf("`", this.#at + 1);
    if (end === -1) this.#refuse("a quote ` is not closed", true);
    else {
      this.#append(formatSubstitution(this.#text.slice(this.#at + 1, end)));
      this.#at = end + 1;
    }
  }

  /** @returns A variable or a command as the placeholder that readers of clients' files know, or the dollar itself. */
  #readDollar(): string {
    this.#at += 1;
    const next = this.#text.charAt(this.#at);
    if (next === "(") return formatSubstitution(this.#readBalanced("(", ")"));
    if (next === "{") {
      const inner = this.#readBalanced("{", "}");
      return /[${}]/.test(inner) ? `\${${/^\w*/.exec(inner)?.[0] ?? ""}}` : `\${${inner}}`;
    }
    const name = this.#match(ENVIRONMENT) ?? this.#match(NAME);
    return name === undefined ? "$" : `\${${name}}`;
  }

  /** @returns What is between two brackets; to the end of the text when the second one is missing. */
  #readBalanced(open: string, close: string): string {
    const start = this.#at + 1;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at);
      if (letter === open) depth += 1;
      else if (letter === close && --depth === 0) {
        this.#at += 1;
        return this.#text.slice(start, this.#at - 1);
      }
    }
    return this.#text.slice(start);
  }
}

function formatSubstitution(command: string): string {
  return `$(${command.replace(/[()]/g, " ").slice(0, 200)})`;
}

function describeOperator(operator: string): string {
  if (operator.includes(">") || operator.includes("<"))
    return `"${operator}" redirects what a command reads or writes: paste the command alone`;
  if (operator === "(" || operator === ")")
    return `"${operator}" groups commands: paste the line that starts the server alone`;
  return `"${operator}" joins several commands: paste the line that starts the server alone`;
}
