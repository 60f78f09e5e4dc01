/** The Inspector's process and everything it starts: one process group, which ends as one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import { findProgram } from "../../installation/find-installation.ts";
import { GUARD, GUARD_PREFIX, LOOPBACK_OPTION } from "./inspector-guard.ts";

/** The version that the reference uses; it runs on every Node that thv runs on. */
const PACKAGE = "@modelcontextprotocol/inspector@0.15.0";
/** What npm needs. Everything else, tokens among it, is none of a downloaded program's business. */
const INHERITED =
  /^(PATH|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SystemRoot|ComSpec|TMPDIR|TEMP|TMP|LANG|LC_ALL|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|npm_config_.*)$/i;
/** Milliseconds between asking it to end and ending it. */
const END_GRACE_MS = 3_000;
const MAX_OUTPUT = 8_000;

export class InspectorProcess implements AsyncDisposable {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #output = "";
  hasEnded = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-MAX_OUTPUT);
      });
    }
    this.ended = new Promise((resolve) => {
      child.once("error", (error) => {
        this.#output += `${GUARD_PREFIX}${readSystemCode(error)}`;
        this.hasEnded = true;
        resolve();
      });
      child.once("close", () => {
        this.hasEnded = true;
        resolve();
      });
    });
  }

  static start(
    ports: { ui: number; proxy: number },
    env: Readonly<Record<string, string | undefined>>,
  ): InspectorProcess {
    const inherited = Object.entries(env).filter(([name]) => INHERITED.test(name));
    const npx = process.platform === "win32" ? "npx.cmd" : "npx";
    // A single file has a Node.js of its own, but npx belongs to an installed one.
    const node = findProgram().isSingleFile ? "node" : process.execPath;
    const child = spawn(node, ["-e", GUARD, "--", npx, "--yes", PACKAGE], {
      detached: process.platform !== "win32",
      // Its input is never written to: the input ends when this process exits.
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...Object.fromEntries(inherited),
        CLIENT_PORT: String(ports.ui),
        SERVER_PORT: String(ports.proxy),
        MCP_AUTO_OPEN_ENABLED: "false",
        NODE_OPTIONS: LOOPBACK_OPTION,
      },
    });
    return new InspectorProcess(child);
  }

  /** Its own secret, which its page needs; `undefined` until it has said it. */
  get token(): string | undefined {
    return /Session token: ([0-9a-f]+)/.exec(this.#output)?.[1];
  }

  /** @param what For example `could not be started`. */
  failure(what: string): ThvError {
    if (this.#output.includes(`${GUARD_PREFIX}ENOENT`)) {
      return new ThvError("NOT_SUPPORTED", "The MCP Inspector is started with npx, which is not installed.", {
        hint: "Install Node.js with npm.",
      });
    }
    const last = stripVTControlCharacters(this.#output)
      .replace(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .slice(-500);
    return new ThvError("SERVER_EXITED", `The MCP Inspector ${what}${last === "" ? "." : `: ${last}`}`, {
      hint: `Try it by hand: npx ${PACKAGE}`,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return;
    this.#kill("SIGTERM");
    await Promise.race([this.ended, delay(END_GRACE_MS, undefined, { ref: false })]);
    this.#kill("SIGKILL");
    if (!this.hasEnded) await once(this.#child, "close");
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch (error) {
      // The group has ended already.
      if (readSystemCode(error) !== "ESRCH") throw error;
    }
  }
}
