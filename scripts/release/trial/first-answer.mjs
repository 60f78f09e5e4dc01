/**
 * Measures what a person waits for on a system that has nothing but Debian: from `apt-get install ./thv.deb`, which brings
 * Podman with it, to the first answer of a tool. Needs root, a way to Debian's packages, and the test images:
 *
 *     node testing/engines.mjs node scripts/release/trial/first-answer.mjs PACKAGE.deb
 *
 * The image of the server is loaded from a file between installing and running: an image registry's speed is not ours.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const IMAGE = "toolhive-test/echo:test";
const DEADLINE_MS = 300_000;

/** The machine's devices and control groups, for the containers; everything else is of the folder. */
const ENTER = `set -e
# Podman remounts its root, so that has to be a mount.
mount --rbind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/tmp"
mount -t tmpfs tmpfs "$1/run"
mkdir -p "$1/var/lib/containers"
mount -t tmpfs tmpfs "$1/var/lib/containers"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "$2"`;

/** `crun` of Debian 12 refuses the control groups of some machines, so `runc` is installed and named here. */
const SCRIPT = `set -e
step() { echo "step $(date +%s%3N) $*"; }
step begin
apt-get update -q >/dev/null
step "package lists read"
install() { apt-get install -y -q "$@" >/root/apt.log 2>&1 || { tail -5 /root/apt.log; exit 1; }; }
install --no-install-recommends /root/thv.deb
step "thv installed"
install /root/thv.deb podman runc
step "Podman installed"
mkdir -p /etc/containers
printf '[engine]\\nruntime = "runc"\\ncgroup_manager = "cgroupfs"\\nevents_logger = "file"\\n[containers]\\ndefault_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]\\n' >/etc/containers/containers.conf
podman load -q -i /root/image.tar >/root/load.log
step "image loaded"
thv run --name echo ${IMAGE}
step "thv run returned"
thv list --format json | tr -d '\\n'
echo
read -r answer
step "$answer"
thv rm --all
`;

const [deb] = process.argv.slice(2);
const { engines = [], network } = JSON.parse(process.env.TOOLHIVE_TEST_STARTED ?? "{}");
const docker = engines.find((/** @type {{ kind: string }} */ { kind }) => kind === "docker");
const caches = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolhive-tests");
const system = existsSync(caches) ? readdirSync(caches).find((name) => /^minbase-.*\.tar$/.test(name)) : undefined;
if (deb === undefined || !existsSync(deb) || docker === undefined || network === undefined || system === undefined) {
  console.error("Usage, as root, after npm test was here once:");
  console.error("  node testing/engines.mjs node scripts/release/trial/first-answer.mjs PACKAGE.deb");
  process.exit(2);
}

const root = mkdtempSync(join(tmpdir(), "thv-first-answer-"));
try {
  execFileSync("tar", ["-xf", join(caches, system), "-C", root, "--numeric-owner"]);
  copyFileSync(deb, join(root, "root/thv.deb"));
  copyFileSync("/etc/resolv.conf", join(root, "etc/resolv.conf"));
  execFileSync("docker", ["-H", docker.host, "save", "-o", join(root, "root/image.tar"), IMAGE]);
  await runTrial();
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function runTrial() {
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts"];
  const child = spawn("unshare", [...namespaces, "sh", "-c", ENTER, "sh", root, SCRIPT], {
    stdio: ["pipe", "pipe", "inherit"],
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  const ended = once(child, "close");
  let begin = 0;
  let before = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, time, title] = /^step (\d+) (.*)$/.exec(line) ?? [];
    if (time !== undefined) {
      const now = Number(time);
      if (title === "begin") begin = before = now;
      console.log(
        `${((now - begin) / 1000).toFixed(1).padStart(6)} s  (+${((now - before) / 1000).toFixed(1)})  ${title}`,
      );
      before = now;
    } else if (line.startsWith("[")) {
      child.stdin.write(`${await callTool(JSON.parse(line)[0].url)}\n`);
    } else {
      console.log(`          ${line}`);
    }
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`The trial ended with code ${code}.`);
}

/** @param {string} url @returns {Promise<string>} What the tool answered, on one line. */
async function callTool(url) {
  /** @type {Record<string, string>} */
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = async (/** @type {object} */ message) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await fetch(url, { method: "POST", headers, body });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) headers["mcp-session-id"] = session;
    return await response.text();
  };
  const clientInfo = { name: "first-answer", version: "1.0.0" };
  const protocolVersion = "2025-06-18";
  await post({ id: 1, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } });
  await post({ method: "notifications/initialized" });
  const text = await post({ id: 2, method: "tools/call", params: { name: "echo", arguments: { text: "hello" } } });
  const message = text.split("\n").find((line) => line.includes('"result"'));
  if (message === undefined) throw new Error(`The tool answered ${text}`);
  return `a tool answered: ${JSON.stringify(JSON.parse(message.replace(/^data: */, "")).result.content)}`;
}
