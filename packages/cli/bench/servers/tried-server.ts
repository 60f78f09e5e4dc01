/** What the benchmark of servers keeps of each one, and how two ways to the same server are compared. */
import { isDeepStrictEqual } from "node:util";

/** An entry of `servers.json`. */
export interface Server {
  /** As `thv run` takes it. */
  readonly package: string;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly call?: { readonly tool: string; readonly arguments: Record<string, unknown> };
  /** What a user has to bring along. */
  readonly needs?: string;
  /** Why it works directly and not through `thv`; absent when it works. */
  readonly reason?: string;
}

const LISTS = ["tools", "prompts", "resources"] as const;
export type ListName = (typeof LISTS)[number];

type Entries = readonly Readonly<Record<string, unknown>>[];

export interface Answers extends Readonly<Record<ListName, Entries>> {
  /** As the server says it. */
  readonly version?: string;
  /** `result` or `error`: texts hold times and addresses, which differ from call to call. */
  readonly call?: string;
}

export type Counts = Readonly<Record<ListName, number>>;

export interface Comparison {
  readonly seconds: number;
  /** What was not equal; empty when all was. */
  readonly differences: readonly string[];
}

/** An entry of `results.json`. */
export interface TriedServer {
  readonly package: string;
  /** ISO date of the run. */
  readonly date: string;
  readonly version?: string;
  readonly direct?: Counts;
  readonly directFailure?: string;
  /** Of the first start, the build of the image included. */
  readonly through?: Counts & Comparison;
  readonly throughFailure?: string;
  readonly restarted?: Comparison;
  readonly restartFailure?: string;
  readonly isolated?: Comparison;
  readonly isolatedFailure?: string;
}

/** Characters of a failure that are kept. */
const FAILURE_LENGTH = 240;

/** What a line that gives a reason usually contains. */
const REASON = /error|fail|cannot|could not|missing|require|invalid|must|not found|unable|timed out/i;

/** That of the image: since 3.13, Python gives descriptions of tools that are docstrings without their indentation. */
const PYTHON = ["--python", "3.13"];

/**
 * The command that people use without a container.
 *
 * @param text Such as `npx://PKG`, `uvx://PKG#PROGRAM`, `go://MODULE`.
 * @throws {Error} For another scheme.
 */
export function formatDirectCommand(text: string): { command: string; args: string[] } {
  const [scheme, rest = ""] = text.split("://", 2);
  const [name = "", program] = rest.split("#", 2);
  switch (scheme) {
    case "npx":
      return {
        command: "npx",
        args: program === undefined ? ["--yes", "--", name] : ["--yes", "-p", name, "--", program],
      };
    case "uvx":
      return { command: "uvx", args: [...PYTHON, ...(program === undefined ? [name] : ["--from", name, program])] };
    case "go":
      return { command: "go", args: ["run", `${name}@latest`] };
    default:
      throw new Error(`${text} is not a package`);
  }
}

/** Without the errors that stand for lists. */
export function countLists({ tools, prompts, resources }: Answers): Counts {
  const count = (entries: Entries) => entries.filter((entry) => !("error" in entry)).length;
  return { tools: count(tools), prompts: count(prompts), resources: count(resources) };
}

/** @returns A text for each list or call that is not equal as JSON; none when all are. */
export function compareAnswers(one: Answers, other: Answers): string[] {
  const differences = LISTS.flatMap((list) => {
    if (isDeepStrictEqual(one[list], other[list])) return [];
    if (one[list].length !== other[list].length) return [`${list}: ${one[list].length} and ${other[list].length}`];
    const changed = one[list].filter((entry, index) => !isDeepStrictEqual(entry, other[list][index]));
    return [`${list}: ${changed.map(({ name, error }) => name ?? `error ${error}`).join(", ")}`];
  });
  return one.call === other.call ? differences : [...differences, `call: ${one.call} and ${other.call}`];
}

/** @returns The line that gives the reason, without addresses and folders of this machine, bounded. */
export function describeFailure(error: unknown): string {
  const {
    stderr = "",
    message = String(error),
    killed,
  } = error as { stderr?: string; message?: string; killed?: boolean };
  const lines = `${message}\n${stderr}`.split("\n").map((line) => line.trim());
  // Commands of thv print the server's output before their own error.
  const own = /^Error: (.+)$/m.exec(stderr)?.[1];
  // A stack's lines begin with "at"; the reason is above them.
  const reason = lines.filter((line) => REASON.test(line) && !line.startsWith("at ")).at(-1);
  // Node.js sets `killed` when it ends a program at its limit of time: the message then has the command alone.
  const ended = killed === true ? "the command did not end in time" : undefined;
  const text = own ?? ended ?? reason ?? (lines.filter(Boolean).at(-1) || "no output");
  const masked = text
    .replace(/https?:\/\/[^\s'"),]+/g, "its address")
    .replace(/(?:\/[\w.@-]+){2,}\/([\w.@-]+)/g, "…/$1");
  return masked.length <= FAILURE_LENGTH ? masked : `${masked.slice(0, FAILURE_LENGTH)}…`;
}

/**
 * @param results Of earlier runs, by package.
 * @param given Parts of names, or `--missing`; none for all.
 * @throws {Error} When a part is in no name.
 */
export function selectServers(
  servers: readonly Server[],
  results: ReadonlyMap<string, unknown>,
  given: readonly string[],
): Server[] {
  const parts = given.filter((part) => part !== "--missing");
  for (const part of parts) {
    if (!servers.some((server) => server.package.includes(part))) {
      throw new Error(`No server's package contains "${part}". The list is packages/cli/bench/servers/servers.json.`);
    }
  }
  return servers.filter(
    (server) =>
      (parts.length === 0 || parts.some((part) => server.package.includes(part))) &&
      !(given.includes("--missing") && results.has(server.package)),
  );
}
