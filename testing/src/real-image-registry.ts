/**
 * The image registry that Debian packages (CNCF Distribution), on this machine's loopback address, with an empty folder of its
 * own. With a sign-in, `ann` has the password `secret`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInstalled } from "./engines/packages.ts";
import { waitFor } from "./wait-for.ts";

const PROGRAM = "docker-registry";
/** `ann:secret`; the registry reads bcrypt alone. */
const USERS = "ann:$2b$05$lesPScy35hQFn0fgW5G0d.01A0VIoo7wwXcYC69u5WAq4ppxrt9xS\n";

export class RealImageRegistry implements AsyncDisposable {
  /** With its port. */
  readonly host: string;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(host: string, folder: string, process: ChildProcess) {
    this.host = host;
    this.#folder = folder;
    this.#process = process;
  }

  /** @returns Why it cannot be started here, or `undefined`. */
  static async findObstacle(): Promise<string | undefined> {
    return (await isInstalled(PROGRAM)) ? undefined : `${PROGRAM} is not installed`;
  }

  static async start({ asksForSignIn = false } = {}): Promise<RealImageRegistry> {
    const folder = await mkdtemp(join(tmpdir(), "thv-images-"));
    const host = `127.0.0.1:${await findFreePort()}`;
    await writeFile(join(folder, "users"), USERS);
    const auth = { auth: { htpasswd: { realm: "test", path: join(folder, "users") } } };
    const settings = {
      version: "0.1",
      log: { level: "error" },
      storage: { filesystem: { rootdirectory: join(folder, "images") } },
      http: { addr: host },
      ...(asksForSignIn && auth),
    };
    // JSON is YAML, too.
    await writeFile(join(folder, "config.yml"), JSON.stringify(settings));
    const child = spawn(PROGRAM, ["serve", join(folder, "config.yml")], { stdio: "ignore" });
    const registry = new RealImageRegistry(host, folder, child);
    const answers = async () => (await fetch(`http://${host}/v2/`).catch(() => undefined))?.status;
    await waitFor(answers, { what: "the image registry to answer" });
    return registry;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
