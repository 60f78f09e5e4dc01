/**
 * Variables that only the supervisor reads: it keeps those of the command that started it, so that another value given to a later
 * command changes nothing. The command then prints a notice.
 */
import { formatKill } from "./format-kill.ts";
import type { SupervisorRecord } from "./supervisor-files.ts";

type Env = Readonly<Record<string, string | undefined>>;

const SUPERVISOR_VARIABLES = [
  "TOOLHIVE_PODMAN_SOCKET",
  "TOOLHIVE_DOCKER_SOCKET",
  "DOCKER_HOST",
  "CONTAINER_HOST",
  "DOCKER_CONTEXT",
  "CONTAINER_CONNECTION",
  "TOOLHIVE_NPX_BASE_IMAGE",
  "TOOLHIVE_UVX_BASE_IMAGE",
  "TOOLHIVE_GO_BASE_IMAGE",
  "TOOLHIVE_SIDECAR_BASE_IMAGE",
  "TOOLHIVE_SIDECAR_IMAGE",
  "TOOLHIVE_SIDECAR_HOSTS",
  "TOOLHIVE_SIGSTORE_TRUSTED_ROOT",
] as const;

/** Those that name an engine. */
const ENGINE_VARIABLES: ReadonlySet<string> = new Set(SUPERVISOR_VARIABLES.slice(0, 6));
const SHOWN_LENGTH = 200;

/** Those that are set, for the supervisor's record. */
export function supervisorVariables(env: Env): Record<string, string> {
  return Object.fromEntries(SUPERVISOR_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

export interface IgnoredVariables {
  /** One sentence. */
  readonly message: string;
  /** What makes the supervisor use them. */
  readonly fix: string;
}

/** @param record What the supervisor that runs says about itself. @returns `undefined` when nothing is ignored. */
export function findIgnored(env: Env, record: SupervisorRecord): IgnoredVariables | undefined {
  // An older supervisor does not say what it was started with.
  if (record.variables === undefined) return undefined;
  const given = Object.entries(supervisorVariables(env));
  const ignored = given.filter(
    ([name, value]) => record.variables?.[name] !== value && !isEngineInUse(name, value, record),
  );
  if (ignored.length === 0) return undefined;
  const shown = ignored.map(([name, value]) => `${name}=${value.slice(0, SHOWN_LENGTH)}`).join(", ");
  const hasEngine = record.engine && ignored.some(([name]) => ENGINE_VARIABLES.has(name));
  const engine = hasEngine ? `, which uses ${describeEngine(record.engine)},` : "";
  const verb = ignored.length === 1 ? "is" : "are";
  return {
    message: `${shown} ${verb} ignored: the supervisor that runs (pid ${record.pid})${engine} was started with other variables.`,
    fix:
      record.mode === "foreground"
        ? "End thv serve where it runs, and start it again with them."
        : `To use ${ignored.length === 1 ? "it" : "them"}, end that supervisor and give the command again: ${formatKill(record.pid)}. Its servers come back with the next one.`,
  };
}

type NamedEngine = Pick<NonNullable<SupervisorRecord["engine"]>, "kind" | "version" | "address">;

export function describeEngine({ kind, version, address }: NamedEngine): string {
  return `${kind === "docker" ? "Docker" : "Podman"} ${version} at ${address}`;
}

/** The same engine by another way. */
function isEngineInUse(name: string, value: string, { engine }: SupervisorRecord): boolean {
  return ENGINE_VARIABLES.has(name) && engine?.address === value.replace(/^unix:\/\//, "");
}
