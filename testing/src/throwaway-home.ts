/**
 * A home directory for one test: HOME, the XDG folders and a PATH with `thv` on it. Disposing of it ends every process
 * that was started in it (the supervisor in the background first of all) and removes what those left in an engine.
 */
import { chmod, chown, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { OrdinaryUser } from "./engines/engine-daemon.ts";
import { endProcesses, identify, listProcessIds, type ProcessIdentity, readEnvironment } from "./engines/processes.ts";
import { removeContainers } from "./engines/remove-containers.ts";
import type { TestEngine } from "./engines/start-engines.ts";
import { copyThvFor } from "./matrix/ordinary-user.ts";
import { findRepositoryRoot } from "./repository.ts";

/** Longest wait for a supervisor that stops its workloads, milliseconds. */
const SUPERVISOR_GRACE_MS = 30_000;

export const THV_BUNDLE = join(findRepositoryRoot(), "packages/cli/dist/thv.mjs");

const NO_PODMAN = "#!/bin/sh\necho 'Tests name their engine.' >&2\nexit 1\n";

/** Variables that children inherit; everything else of this process's environment stays out. */
const INHERITED = ["LANG", "LC_ALL", "TZ", "NODE_EXTRA_CA_CERTS", "NODE_V8_COVERAGE"];

export class ThrowawayHome implements AsyncDisposable {
  /** Absolute path of HOME. Short, so that a socket below it stays under 100 characters. */
  readonly path: string;
  /** An empty folder to run commands in. */
  readonly workDirectory: string;
  readonly #engines = new Map<string, Pick<TestEngine, "host">>();

  /** Whose home it is. Absent: this process's user. */
  readonly user: OrdinaryUser | undefined;
  /** Path of a `thv` that this user can read: the bundle, or an executable that needs no Node.js. */
  readonly thv: string;

  private constructor(path: string, user: OrdinaryUser | undefined, thv: string) {
    this.path = path;
    this.user = user;
    this.thv = thv;
    this.workDirectory = join(path, "work");
  }

  /**
   * @param user Whose home it is, and who runs `thv` in it. Only root can name another. Default: this process's user.
   * @param program The `thv` of this home. Default: what `TOOLHIVE_TEST_THV` names, else the bundle.
   */
  static async create(
    user?: OrdinaryUser,
    program: string | undefined = process.env.TOOLHIVE_TEST_THV,
  ): Promise<ThrowawayHome> {
    // Below the engines' folder, which goes with them. Else not os.tmpdir(): on some systems that is 60 characters long.
    const parent = process.env.TOOLHIVE_TEST_HOMES ?? "/tmp";
    const thv = program ?? (user === undefined ? THV_BUNDLE : await copyThvFor(user));
    const home = new ThrowawayHome(await realpath(await mkdtemp(join(parent, "thv-"))), user, thv);
    const folders = [
      home.workDirectory,
      ...Object.values(home.#folders()),
      join(home.path, "bin"),
      join(home.path, "tmp"),
    ];
    for (const folder of folders) await mkdir(folder, { recursive: true });
    await chmod(home.#folders().XDG_RUNTIME_DIR, 0o700);
    await symlink(thv, join(home.path, "bin/thv"));
    // Else a supervisor without an engine would start this machine's own Podman.
    await writeFile(join(home.path, "bin/podman"), NO_PODMAN, { mode: 0o755 });
    if (user !== undefined) {
      for (const folder of [home.path, ...folders]) await chown(folder, user.uid, user.gid);
    }
    return home;
  }

  get stateDirectory(): string {
    return join(this.#folders().XDG_STATE_HOME, "toolhive");
  }

  get dataDirectory(): string {
    return join(this.#folders().XDG_DATA_HOME, "toolhive");
  }

  #folders() {
    return {
      XDG_CONFIG_HOME: join(this.path, "config"),
      XDG_DATA_HOME: join(this.path, "data"),
      XDG_STATE_HOME: join(this.path, "state"),
      XDG_CACHE_HOME: join(this.path, "cache"),
      XDG_RUNTIME_DIR: join(this.path, "run"),
    };
  }

  /**
   * The whole environment of a child process.
   *
   * @param engine Becomes `DOCKER_HOST`. Without it, the child finds no engine of the tests.
   */
  env(engine?: Pick<TestEngine, "host">): Record<string, string> {
    if (engine !== undefined) this.#engines.set(engine.host, engine);
    const inherited = INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return {
      ...Object.fromEntries(inherited),
      ...this.#folders(),
      HOME: this.path,
      TMPDIR: join(this.path, "tmp"),
      PATH: [join(this.path, "bin"), process.env.PATH ?? ""].join(delimiter),
      ...(engine === undefined ? {} : { DOCKER_HOST: engine.host }),
    };
  }

  /** Processes that were started in this home and still run. */
  async listProcesses(): Promise<ProcessIdentity[]> {
    const found: ProcessIdentity[] = [];
    for (const pid of await listProcessIds()) {
      if (!(await this.#isOfHome(pid))) continue;
      const identity = await identify(pid);
      if (identity !== undefined) found.push(identity);
    }
    return found;
  }

  /** The supervisor that runs in the background, as its note in the state folder says. */
  async findSupervisor(): Promise<ProcessIdentity | undefined> {
    // There is no note when no supervisor was started, or when it has ended.
    const note = await readFile(join(this.stateDirectory, "supervisor.json"), "utf8").catch(() => undefined);
    if (note === undefined) return undefined;
    const { pid } = JSON.parse(note) as { pid: number };
    return (await this.#isOfHome(pid)) ? await identify(pid) : undefined;
  }

  async #isOfHome(pid: number): Promise<boolean> {
    return (await readEnvironment(pid)).includes(`HOME=${this.path}`);
  }

  /** Ends the supervisor with SIGTERM, as a user's session would, and waits until it is gone. */
  async stopSupervisor(): Promise<void> {
    const supervisor = await this.findSupervisor();
    if (supervisor !== undefined) await endProcesses([supervisor], { graceMs: SUPERVISOR_GRACE_MS });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const instanceId = await readFile(join(this.stateDirectory, "instance-id"), "utf8").catch(() => undefined);
    await this.stopSupervisor();
    await endProcesses(await this.listProcesses(), { graceMs: 2_000 });
    if (instanceId !== undefined) {
      const id = instanceId.trim();
      // They carry the id of the home in a label.
      for (const { host } of this.#engines.values()) {
        await removeContainers(host, (labels) => Object.values(labels).includes(id));
      }
    }
    await rm(this.path, { recursive: true, force: true });
  }
}
