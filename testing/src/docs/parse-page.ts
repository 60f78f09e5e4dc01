/**
 * Reads the command blocks of a documentation page and what the page says about each.
 *
 * | Block                            | Meaning                                                                          |
 * |----------------------------------|----------------------------------------------------------------------------------|
 * | `bash run`                       | Is executed. The blocks of a page share one shell and one home, in order.        |
 * | `bash run exit=3`                | Must end with that code. Without it: 0.                                          |
 * | `bash run=cluster`               | Is executed on a Kubernetes cluster, with the page's other blocks of this kind.  |
 * | `bash run=cluster until="text"`  | Does not end by itself: the blocks after it are executed once it has printed the text. |
 * | `yaml title="a.yaml"`            | A file that the blocks after it find, on a cluster.                              |
 * | `bash run hidden`                | Is executed and not shown: it prepares what the page's blocks need.              |
 * | `bash run unshown="reason"`      | Prints what the page does not show, for the reason.                              |
 * | `text output` after such a block | What the block prints. A line `…` stands for any number of lines that are left out. |
 * | `bash norun="reason"`            | Cannot be executed in the tests; the reason is for readers of the source.        |
 *
 * A shell block that says neither is a problem, and so is an output block without a command. A block that prints something, is not
 * hidden and gives no reason has an output block.
 */

/** Languages of command blocks. Only `bash` is executed. */
const SHELLS = new Set(["bash", "sh", "shell", "zsh", "console", "powershell", "pwsh"]);

export interface Fence {
  readonly language: string;
  /** What stands behind the language, for example `run exit=3 title="Try it"`. */
  readonly meta: string;
  readonly content: string;
  /** 1-based number of the opening line. */
  readonly line: number;
  /** White space before the fence, which the content's lines share. */
  readonly indent: string;
  /** 0-based half-open range of the content's lines. */
  readonly contentLines: readonly [start: number, end: number];
}

export interface Step {
  readonly command: string;
  readonly line: number;
  readonly exitCode: number;
  /** Where it is executed: beside a container engine, or on a cluster. */
  readonly place: "engine" | "cluster";
  /** What a command that goes on prints when it is ready. Absent: it ends. */
  readonly until?: string;
  /** Whether it may print what the page does not show. Absent: without `output` it must print nothing. */
  readonly mayHideOutput?: true;
  /** What the page shows. */
  readonly output?: Fence;
}

export interface Problem {
  readonly line: number;
  readonly message: string;
}

/** A file that a page shows. */
export interface PageFile {
  readonly name: string;
  readonly content: string;
  readonly line: number;
}

export interface Page {
  readonly steps: readonly Step[];
  readonly files: readonly PageFile[];
  readonly problems: readonly Problem[];
}

/** The fenced code blocks of a Markdown or MDX source (CommonMark 0.31, section 4.5), also inside lists and components. */
export function parseFences(source: string): Fence[] {
  const lines = source.split("\n");
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index++) {
    const opening = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*(.*?)[ \t]*$/.exec(lines[index] ?? "");
    if (opening === null) continue;
    const [, indent = "", marker = "", language = "", meta = ""] = opening;
    if (marker.startsWith("`") && meta.includes("`")) continue; // inline code, not a fence
    const closing = new RegExp(`^[ \\t]*${marker[0]}{${marker.length},}[ \\t]*$`);
    let end = index + 1;
    while (end < lines.length && !closing.test(lines[end] ?? "")) end++;
    const content = lines.slice(index + 1, end).map((line) => removeIndent(line, indent));
    fences.push({
      language,
      meta,
      content: content.join("\n"),
      line: index + 1,
      indent,
      contentLines: [index + 1, end],
    });
    index = end;
  }
  return fences;
}

function removeIndent(line: string, indent: string): string {
  const own = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(own, indent.length));
}

/** Words, `name=value` and `name="value with spaces"` of a fence's meta; a word alone has the value `true`. */
export function parseMeta(meta: string): Map<string, string | true> {
  const found = new Map<string, string | true>();
  for (const [, name = "", quoted, plain] of meta.matchAll(/([^\s=]+)(?:=(?:"([^"]*)"|(\S*)))?/g)) {
    found.set(name, quoted ?? plain ?? true);
  }
  return found;
}

type CommandBlock =
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "problem"; readonly message: string };

function readCommandBlock({ language, meta, content, line }: Fence): CommandBlock | undefined {
  const words = parseMeta(meta);
  const problem = (message: string): CommandBlock => ({ kind: "problem", message });
  const reason = words.get("norun");
  if (words.has("run") && reason !== undefined) return problem("says both run and norun.");
  if (reason !== undefined) {
    const isGiven = typeof reason === "string" && reason.trim() !== "";
    return isGiven ? undefined : problem('says norun without a reason: norun="Needs systemd".');
  }
  if (!words.has("run")) return problem(`says neither run nor norun="reason".`);
  if (language !== "bash") return problem(`is ${language}, and only bash is executed: use norun="reason".`);
  const exit = words.get("exit") ?? "0";
  if (typeof exit !== "string" || !/^\d{1,3}$/.test(exit))
    return problem(`has an exit code that is none: exit=${exit}`);
  const place = words.get("run") === "cluster" ? "cluster" : "engine";
  if (place === "engine" && words.get("run") !== true)
    return problem(`says run=${words.get("run")}: it is run, or run=cluster.`);
  const until = words.get("until");
  if (until !== undefined && (place !== "cluster" || typeof until !== "string")) {
    return problem('says until without run=cluster or without a text: run=cluster until="Forwarding".');
  }
  const unshown = words.get("unshown");
  if (unshown !== undefined && (typeof unshown !== "string" || unshown.trim() === "")) {
    return problem('says unshown without a reason: unshown="Its lines depend on the machine".');
  }
  const mayHideOutput = words.has("hidden") || unshown !== undefined;
  const step: Step = { command: content, line, exitCode: Number(exit), place };
  return {
    kind: "step",
    step: { ...step, ...(until && { until }), ...(mayHideOutput && { mayHideOutput }) },
  };
}

/** What a page has executed, and what is wrong with how it says so. */
export function parsePage(source: string): Page {
  const steps: Step[] = [];
  const problems: Problem[] = [];
  const files: PageFile[] = [];
  let isAfterStep = false;
  for (const fence of parseFences(source)) {
    const { line } = fence;
    const title = parseMeta(fence.meta).get("title");
    if (fence.language === "yaml" && typeof title === "string" && title.endsWith(".yaml")) {
      files.push({ name: title, content: fence.content, line });
    }
    if (SHELLS.has(fence.language)) {
      const block = readCommandBlock(fence);
      if (block?.kind === "step") steps.push(block.step);
      if (block?.kind === "problem") problems.push({ line, message: `This ${fence.language} block ${block.message}` });
      isAfterStep = block?.kind === "step";
    } else if (parseMeta(fence.meta).has("output")) {
      const step = steps.at(-1);
      if (isAfterStep && step?.mayHideOutput === true) {
        problems.push({ line: step.line, message: "This bash block is hidden or unshown, and has an output block." });
      } else if (isAfterStep && step !== undefined) steps[steps.length - 1] = { ...step, output: fence };
      else problems.push({ line, message: "This output block does not follow a bash block that is run." });
      isAfterStep = false;
    }
  }
  return { steps, problems, files };
}
