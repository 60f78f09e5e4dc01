import { expect, test } from "vitest";
import { runCommand } from "../command.ts";
import { findObstacle } from "./packages.ts";
import { wrapInNewNetwork } from "./private-network.ts";

const obstacle = await findObstacle();
const reason = obstacle === undefined ? "" : ` (not run: ${obstacle})`;

/** A machine whose Docker listens, as far as its children see. */
const MACHINE = `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
"$0" -e 'require("node:net").createServer().listen("/run/docker.sock", () => console.log("listens"))' >/run/said &
engine=$!
until [ -s /run/said ]; do sleep 0.02; done
status=0
"$@" || status=$?
kill $engine
exit $status`;

/** Who is at a socket: `engine`, or the code of the error. */
const ASK = `require("node:net").connect("/var/run/docker.sock")
  .on("connect", () => { console.log("engine"); process.exit() }).on("error", ({ code }) => console.log(code))`;

test.skipIf(obstacle !== undefined)(
  `the machine's engine does not listen in the network of the tests${reason}`,
  async () => {
    const ask = [process.execPath, "-e", ASK] as const;
    const onMachine = async (command: readonly string[]) =>
      (await runCommand("unshare", ["--mount", "sh", "-c", MACHINE, process.execPath, ...command])).stdout.trim();

    expect([await onMachine(ask), await onMachine(wrapInNewNetwork(ask))]).toEqual(["engine", "ECONNREFUSED"]);
  },
);
