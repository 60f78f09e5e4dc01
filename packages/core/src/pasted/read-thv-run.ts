/** `thv run` as somebody else would start the same server, so that one reader judges all of them. */
import type { FoundServer } from "../client-import/find-servers.ts";
import { type PackageScheme, parseTarget } from "../target/target.ts";

/** Half a sentence. */
type Refusal = { readonly problem: string };

/** Options that `docker run` has, too, with a value. */
const SHARED = new Set([
  "-e",
  "--env",
  "-v",
  "--volume",
  "--env-file",
  "--user",
  "--memory",
  "--cpus",
  "--pids-limit",
  "--pull",
]);
const SWITCHES = new Set(["-f", "--foreground", "--yes", "--debug"]);

/** What starts a package without ToolHive. */
const STARTERS: Readonly<Record<PackageScheme, readonly string[]>> = {
  npx: ["npx", "-y"],
  uvx: ["uvx"],
  go: ["go", "run"],
};

interface Reading {
  readonly options: string[];
  readonly env: Record<string, string>;
  readonly inherited: string[];
  readonly headers: Record<string, string>;
  name: string;
  transport: string;
}

/** @param words Behind `thv run`. */
export function readThvRun(words: readonly string[]): FoundServer | Refusal {
  const reading: Reading = { options: [], env: {}, inherited: [], headers: {}, name: "", transport: "" };
  const plain: string[] = [];
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  for (let at = 0; at < end; at++) {
    const word = words[at] ?? "";
    const [, option = word, joined] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (!word.startsWith("-")) plain.push(word);
    else if (option === "--read-only") reading.options.push(option);
    else if (!SWITCHES.has(option) && !takeOption(option, joined ?? words[++at] ?? "", reading))
      return { problem: `it has the option ${option.slice(0, 60)}: run this command in a terminal` };
  }
  const [server, ...surplus] = plain;
  if (server === undefined) return { problem: "it names no server" };
  return toFound(server, [...surplus, ...words.slice(end + 1)], reading);
}

function takeOption(option: string, value: string, reading: Reading): boolean {
  if (SHARED.has(option)) {
    reading.options.push(option, value);
    if (option !== "-e" && option !== "--env") return true;
    const split = value.indexOf("=");
    if (split > 0) reading.env[value.slice(0, split)] = value.slice(split + 1);
    return true;
  }
  switch (option) {
    case "--name":
      reading.name = value;
      return true;
    case "--transport":
      reading.transport = value;
      return true;
    case "--secret":
      reading.inherited.push(/target=([^,]+)/.exec(value)?.[1] ?? value);
      return true;
    case "--remote-forward-headers": {
      const split = value.indexOf(":");
      if (split > 0) reading.headers[value.slice(0, split).trim()] = value.slice(split + 1).trim();
      return split > 0;
    }
    default:
      return false;
  }
}

function toFound(server: string, args: readonly string[], reading: Reading): FoundServer | Refusal {
  const { name, env, inherited, headers, options, transport } = reading;
  const asked = inherited.length > 0 ? { env_vars: inherited } : {};
  const toServer = (settings: object): FoundServer => ({
    name,
    settings: { ...settings, ...asked },
    inputs: new Map(),
  });
  const target = parseTarget(server);
  if (target.kind === "address")
    return toServer({ url: server, headers, ...(transport !== "" && { type: transport }) });
  if (target.kind !== "package") return toServer({ command: "docker", args: ["run", ...options, server, ...args] });
  if (options.some((word) => word.startsWith("-") && !/^(?:-e|--env)$/.test(word)))
    return { problem: "it has options besides variables: run this command in a terminal" };
  const [command, ...first] = STARTERS[target.scheme];
  return toServer({ command, args: [...first, target.name, ...args], env });
}
