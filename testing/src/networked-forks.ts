/**
 * vitest's pool of the end-to-end tests: its usual forks, in the network that the global set-up of their lane has made.
 * Supervisors and clients are their children, so the ports that the engines publish are theirs, too.
 */
import { ForksPoolWorker, type PoolOptions } from "vitest/node";
import { wrapInNetwork } from "./engines/private-network.ts";

/** Variable with the id of a process in the lane's network. Unset: the engines are the machine's, and so is the network. */
export function nameNetwork(lane: string): string {
  return `TOOLHIVE_TEST_NETWORK_${nameVariable(lane)}`;
}

/** Variable with the folder of the lane's throwaway homes. */
export function nameHomes(lane: string): string {
  return `${HOMES_VARIABLE}_${nameVariable(lane)}`;
}

/** Shells keep no variable with a hyphen in its name. */
function nameVariable(lane: string): string {
  return lane.toUpperCase().replaceAll("-", "_");
}

/** What a worker finds them by, see `ThrowawayHome`. */
const HOMES_VARIABLE = "TOOLHIVE_TEST_HOMES";

class NetworkedFork extends ForksPoolWorker {
  readonly #lane: string;

  constructor(options: PoolOptions) {
    const homes = process.env[nameHomes(options.project.name)];
    super({ ...options, env: { ...options.env, ...(homes !== undefined && { [HOMES_VARIABLE]: homes }) } });
    this.#lane = options.project.name;
  }

  override async start(): Promise<void> {
    const network = process.env[nameNetwork(this.#lane)];
    if (network === undefined) return await super.start();
    const node = process.execPath;
    const [program, ...args] = wrapInNetwork(Number(network), [node, ...this.execArgv]);
    const execArgv = this.execArgv;
    // `fork` has no other way to start a program that becomes Node, and it reads both before `start` waits for anything.
    process.execPath = program;
    this.execArgv = args;
    try {
      const starting = super.start();
      process.execPath = node;
      this.execArgv = execArgv;
      return await starting;
    } finally {
      process.execPath = node;
    }
  }
}

export const networkedForks = {
  name: "networked-forks",
  createPoolWorker: (options: PoolOptions) => new NetworkedFork(options),
};
