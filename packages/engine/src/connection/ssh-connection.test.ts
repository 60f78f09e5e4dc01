import { chmod, mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DockerEngine } from "../docker-engine.ts";
import { FakeDaemon } from "../testing/fake-daemon.ts";
import type { EngineAddress } from "./engine-address.ts";

let daemon: FakeDaemon;
let path: string | undefined;
const ADDRESS: EngineAddress = { kind: "ssh", host: "build.example.com", user: "ada", program: "docker" };

beforeEach(async () => {
  daemon = await FakeDaemon.start();
  daemon.answer("GET /_ping", (_request, response) => response.end("OK"));
  path = process.env.PATH;
});
afterEach(async () => {
  process.env.PATH = path;
  vi.restoreAllMocks();
  await daemon[Symbol.asyncDispose]();
});

/** Puts a program named `ssh` in front of the system's. */
async function writeSsh(script: string): Promise<void> {
  const program = join(daemon.directory, "ssh");
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  process.env.PATH = `${daemon.directory}:${path}`;
}

/** What `docker system dial-stdio` does there: joins input and output with the engine. */
const dial = () =>
  `exec "${process.execPath}" -e '
    const socket = require("node:net").connect(process.argv[1]);
    process.stdin.pipe(socket).pipe(process.stdout);
    socket.on("close", () => process.exit());' "${daemon.socketPath}"`;

/** A machine to sign in to is not there in a unit test, so a script is `ssh`. */
describe("an engine behind ssh (a script stands in for ssh)", () => {
  test("is reached over few connections for many calls, whose arguments cannot become options", async () => {
    await writeSsh(`printf '%s\\n' "$*" >> "${daemon.directory}/calls"; ${dial()}`);
    const engine = await DockerEngine.connect({ ...ADDRESS, port: 2222, identity: "/keys/id", path: "/run/d.sock" });
    for (let count = 0; count < 8; count += 1) await engine.ping();

    expect(engine.info).toMatchObject({ address: "ssh://ada@build.example.com:2222/run/d.sock", isRemote: true });
    const calls = (await readFile(join(daemon.directory, "calls"), "utf8")).trim().split("\n");
    expect(new Set(calls)).toEqual(
      new Set([
        "-o BatchMode=yes -o ConnectTimeout=30 -T -l ada -p 2222 -i /keys/id -- build.example.com docker --host unix:///run/d.sock system dial-stdio",
      ]),
    );
    expect(calls.length).toBeLessThan(4);
  });

  test.each([
    [
      "asks for a password",
      'echo "ada@build.example.com: Permission denied (publickey,password)." >&2; exit 255',
      /Permission denied/,
      /BatchMode=yes/,
    ],
    [
      "knows no such host",
      'echo "ssh: Could not resolve hostname build" >&2; exit 255',
      /Could not resolve/,
      /ssh -o BatchMode/,
    ],
    [
      "finds no docker there",
      'echo "sh: docker: not found" >&2; exit 127',
      /docker: not found/,
      /ssh ada@build\.example\.com docker version/,
    ],
    ["says nothing", "exit 1", /the connection ended/, /docker version/],
  ])("that %s is named with its own words, and a way out", async (_what, script, message, hint) => {
    await writeSsh(script);

    await expect(DockerEngine.connect(ADDRESS)).rejects.toMatchObject({
      code: "ENGINE_UNREACHABLE",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  test("without ssh says what to install", async () => {
    await writeSsh("exit 0");
    // The shell is found, and no ssh.
    process.env.PATH = await isolateShell();

    await expect(DockerEngine.connect(ADDRESS)).rejects.toMatchObject({
      message: expect.stringContaining("needs ssh, which is not installed"),
      hint: expect.stringContaining("openssh-client"),
    });
  });

  test("on Windows, which has no shell for it, says to use WSL or TLS", async () => {
    vi.spyOn(process, "platform", "get").mockReturnValue("win32");
    process.env.PATH = daemon.directory;

    await expect(DockerEngine.connect(ADDRESS)).rejects.toMatchObject({
      message: expect.stringContaining("cannot be reached from Windows by ssh"),
      hint: "Run thv in WSL, or give the engine an address with tcp:// and TLS.",
    });
  });

  test("that ends in the middle of a pull ends the pull, with the reason", async () => {
    daemon.answer("POST /images/create", (_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write('{"status":"Pulling fs layer","id":"a"}\n', () => response.socket?.destroy());
    });
    await writeSsh(dial());
    const engine = await DockerEngine.connect(ADDRESS);

    await expect(engine.pullImage("mcp/echo:1")).rejects.toMatchObject({
      code: expect.stringMatching(/^(ENGINE|IMAGE)_/),
    });
  });
});

async function isolateShell(): Promise<string> {
  const bin = join(daemon.directory, "bin");
  await mkdir(bin);
  await symlink(await realpath("/bin/sh"), join(bin, "sh"));
  return bin;
}
