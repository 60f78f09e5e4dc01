/**
 * vitest's pool of the e2e project: its usual forks, in the network of the private engines that the global set-up has
 * started. Supervisors and clients are their children, so the ports that the engines publish are theirs, too.
 */
import { ForksPoolWorker, type PoolOptions } from "vitest/node";
import { wrapInNetwork } from "./engines/private-network.ts";

/** Names a process in the engines' network. Unset: the engines are the machine's, and so is the network. */
export const NETWORK_VARIABLE = "TOOLHIVE_TEST_NETWORK";

class NetworkedFork extends ForksPoolWorker {
  override async start(): Promise<void> {
    const network = process.env[NETWORK_VARIABLE];
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
