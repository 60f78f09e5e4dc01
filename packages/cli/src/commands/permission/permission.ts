/** `thv permission show`, `learn` and `allow` */
import type { ApiClient } from "@toolhive/api/client";
import type { PermissionProfile } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { Progress } from "../../terminal/progress.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printOutcome } from "../print-outcome.ts";
import { connectTo } from "../shared/connect-to.ts";
import { formatPlanRows, type PlanRow } from "../shared/plan-rows.ts";
import type { PERMISSION_ALLOW, PERMISSION_LEARN, PERMISSION_SHOW } from "./definition.ts";

export const showPermissions: CommandHandler<typeof PERMISSION_SHOW> = async (input, context) => {
  const [name] = input.positionals;
  const { terminal } = context;
  const client = await connectTo(name, context);
  const { access, reach, profile, learning, learned } = await client.call("getPermissions", { params: { name } });
  const shown = profile ?? ALLOWS_ALL;
  if (input.format === "json") {
    terminal.printJson({ access, reach, learning, profile: shown });
    return;
  }
  if (terminal.isOutputTerminal) {
    terminal.print(formatPlanRows([["Server", name], ["Reaches", reach], ...listPathRows(profile)]));
    if (learning) terminal.info(describeLearned(learned));
    terminal.info(`The profile as a file: thv permission show ${name} > profile.json`);
    return;
  }
  terminal.printJson(shown);
  terminal.info(`What it may reach: ${reach}${learning ? ` ${describeLearned(learned)}` : ""}`);
};

/** Folders of this machine that the profile mounts. */
function listPathRows({ read = [], write = [] }: Pick<PermissionProfile, "read" | "write"> = {}): PlanRow[] {
  return [
    ["Reads", read.join(", ")],
    ["Writes", write.join(", ")],
  ];
}

export const learnPermissions: CommandHandler<typeof PERMISSION_LEARN> = async (input, context) => {
  const [name] = input.positionals;
  const { terminal } = context;
  const client = await connectTo(name, context);
  const { learning, learned, smallest } = await client.call("getPermissions", { params: { name } });
  if (!learning) {
    throw new ThvError("INVALID_ARGUMENT", `The network rules of "${name}" are not being learned.`, {
      hint: `Learn them while it is used: thv edit ${name} --learn`,
    });
  }
  const restarted = input.apply ? (await apply(client, name, context)).restarted : false;
  if (input.format === "json") terminal.printJson({ applied: input.apply, restarted, learned, profile: smallest });
  else {
    if (terminal.isOutputTerminal) terminal.print(listTargets(learned));
    else terminal.printJson(smallest);
    const next = input.apply
      ? describeChange("It is enforced", restarted)
      : `To enforce it: thv permission learn ${name} --apply`;
    terminal.info(`${describeLearned(learned)} ${next}`);
  }
};

export const allowPermission: CommandHandler<typeof PERMISSION_ALLOW> = async (input, context) => {
  const [name, target] = input.positionals;
  const body = parseDestination(target, name);
  const client = await connectTo(name, context);
  const { profile, restarted } = await withProgress(name, context, () =>
    client.call("allowTarget", { params: { name }, body }),
  );
  const line = describeChange(`${name} may reach ${target}`, restarted);
  printOutcome(input, context, { profile, restarted }, line);
};

/** What a workload without a profile may do. */
const ALLOWS_ALL = {
  network: { outbound: { insecure_allow_all: true, allow_host: [], allow_port: [] } },
} as const;

async function apply(
  client: ApiClient,
  name: string,
  context: CommandContext,
): Promise<{ readonly restarted: boolean }> {
  return await withProgress(name, context, () => client.call("applyLearned", { params: { name } }));
}

async function withProgress<T>(name: string, { terminal }: CommandContext, work: () => Promise<T>): Promise<T> {
  using _progress = new Progress(terminal, `Changing ${name}`);
  return await work();
}

function describeChange(done: string, isRestarted: boolean): string {
  return isRestarted ? `${done}; the server was started anew for it.` : `${done}.`;
}

function describeLearned(learned: readonly { readonly host: string }[]): string {
  const hosts = new Set(learned.map(({ host }) => host)).size;
  if (hosts === 0) return "Nothing was reached yet: use its tools first.";
  return `Learned ${hosts} ${hosts === 1 ? "host" : "hosts"}.`;
}

/** A line for each host, as a person reads them. */
function listTargets(learned: readonly { readonly host: string; readonly port: number }[]): string {
  const ports = new Map<string, Set<number>>();
  for (const { host, port } of learned) ports.set(host, (ports.get(host) ?? new Set()).add(port));
  return [...ports].map(([host, own]) => `${showLine(host)}:${[...own].join(",")}`).join("\n");
}

/** @throws {ThvError} `USAGE`. */
function parseDestination(text: string, name: string): { host: string; port?: number } {
  const [, host = "", port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = Number(port ?? 1);
  if (host !== "" && number >= 1 && number <= 65_535) return { host, ...(port !== undefined && { port: number }) };
  throw new ThvError(
    "USAGE",
    `HOST[:PORT] is "${text.slice(0, 100)}", but must be a host, and a port from 1 to 65535 behind a colon.`,
    {
      hint: `For example: thv permission allow ${name} api.github.com:443`,
    },
  );
}
