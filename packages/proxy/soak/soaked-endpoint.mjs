/** The endpoint as a process of its own whose memory can be asked for while it works. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bundleEndpoint, ECHO, freePort, NODE_FLAGS } from "../bench/targets.mjs";

const REPORTER = fileURLToPath(new URL("report-memory.mjs", import.meta.url));
const START_MS = 20_000;

export async function startEndpoint() {
  const port = await freePort();
  const own = ["--expose-gc", "--import", REPORTER];
  const args = [...NODE_FLAGS, ...own, await bundleEndpoint(), String(port), process.execPath, ECHO];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit");
  const health = async () => await (await fetch(`http://127.0.0.1:${port}/health`)).json();
  const deadline = performance.now() + START_MS;
  while (
    !(await health().then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`the endpoint exited with ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error("the endpoint does not listen");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    health,
    /** @param {{ collect?: boolean }} [options] @returns {Promise<NodeJS.MemoryUsage>} */
    memory: async ({ collect = false } = {}) => {
      const answer = once(child, "message");
      child.send({ collect });
      return (await answer)[0];
    },
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}
