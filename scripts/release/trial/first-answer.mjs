/**
 * Measures what a person waits for on a system that has nothing but Debian, to the first answer of a tool: from
 * `apt-get install ./thv.deb`, which brings Podman with it, or from `npm start` in a fresh checkout, which installs Podman, with
 * this machine's Node.js copied there before. Needs root, a way to the packages of Debian and npm, and the test images:
 *
 *     node testing/engines.mjs node scripts/release/trial/first-answer.mjs PACKAGE.deb
 *     node testing/engines.mjs node scripts/release/trial/first-answer.mjs CHECKOUT
 *
 * The image of the server is loaded from a file between installing and running: an image registry's speed is not ours.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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
exec chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive NODE_EXTRA_CA_CERTS=/root/authorities.pem sh -c "$2"`;

const STEP = `set -e
step() { echo "step $(date +%s%3N) $*"; }
# crun of Debian 12 refuses the control groups of some machines.
mkdir -p /etc/containers
printf '[engine]\\nruntime = "runc"\\ncgroup_manager = "cgroupfs"\\nevents_logger = "file"\\n[containers]\\ndefault_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]\\n' >/etc/containers/containers.conf
`;

const INSTALL_PACKAGE = `step begin
apt-get update -q >/dev/null
step "package lists read"
install() { apt-get install -y -q "$@" >/root/apt.log 2>&1 || { tail -5 /root/apt.log; exit 1; }; }
install --no-install-recommends /root/thv.deb
step "thv installed"
install /root/thv.deb podman runc
step "Podman installed"
`;

/** The checkout's own command, until both of its servers answer. It does not install `runc`, so that is installed before. */
const START_CHECKOUT = `{ apt-get update && apt-get install -y runc; } >/root/apt.log 2>&1 || { tail -5 /root/apt.log; exit 1; }
rm -rf /var/lib/apt/lists/*
step begin
cd /root/toolhive
npm start >/root/start.log 2>&1 &
until grep -q 'http://127.0.0.1:8080' /root/start.log; do
  kill -0 $! 2>/dev/null || { tail -20 /root/start.log; exit 1; }
  sleep 0.2
done
step "npm start serves"
sed 's/^/  /' /root/start.log
thv() { node /root/toolhive/packages/cli/dist/thv.mjs "$@"; }
`;

const USE = `podman load -q -i /root/image.tar >/root/load.log
step "image loaded"
thv run --name echo ${IMAGE}
step "thv run returned"
thv list --format json | tr -d '\\n'
echo
read -r answer
step "$answer"
thv rm --all --yes
`;

const [subject] = process.argv.slice(2);
const { engines = [], network } = JSON.parse(process.env.TOOLHIVE_TEST_STARTED ?? "{}");
const docker = engines.find((/** @type {{ kind: string }} */ { kind }) => kind === "docker");
const caches = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolhive-tests");
const system = existsSync(caches) ? readdirSync(caches).find((name) => /^minbase-.*\.tar$/.test(name)) : undefined;
if (
  subject === undefined ||
  !existsSync(subject) ||
  docker === undefined ||
  network === undefined ||
  system === undefined
) {
  console.error("Usage, as root, after npm test was here once:");
  console.error("  node testing/engines.mjs node scripts/release/trial/first-answer.mjs PACKAGE.deb|CHECKOUT");
  process.exit(2);
}

const isCheckout = statSync(subject).isDirectory();
const root = mkdtempSync(join(tmpdir(), "thv-first-answer-"));
try {
  execFileSync("tar", ["-xf", join(caches, system), "-C", root, "--numeric-owner"]);
  if (isCheckout) copyCheckout(subject);
  else copyFileSync(subject, join(root, "root/thv.deb"));
  copyFileSync("/etc/resolv.conf", join(root, "etc/resolv.conf"));
  // A folder made by debootstrap has none, unlike every installed system.
  writeFileSync(join(root, "etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n");
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities !== undefined) copyFileSync(authorities, join(root, "root/authorities.pem"));
  else writeFileSync(join(root, "root/authorities.pem"), "");
  execFileSync("docker", ["-H", docker.host, "save", "-o", join(root, "root/image.tar"), IMAGE]);
  await runTrial();
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** @param {string} checkout Its commits are copied, and nothing that was built or installed. */
function copyCheckout(checkout) {
  execFileSync("git", ["clone", "--quiet", checkout, join(root, "root/toolhive")]);
  const npm = realpathSync(execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim());
  cpSync(process.execPath, join(root, "usr/local/bin/node"), { dereference: true });
  cpSync(join(npm, "../.."), join(root, "usr/local/lib/node_modules/npm"), { recursive: true, dereference: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  writeFileSync(join(root, "root/.npmrc"), `registry=${registry}\n`);
}

async function runTrial() {
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--ipc", "--uts"];
  const child = spawn(
    "unshare",
    [...namespaces, "sh", "-c", ENTER, "sh", root, STEP + (isCheckout ? START_CHECKOUT : INSTALL_PACKAGE) + USE],
    {
      stdio: ["pipe", "pipe", "inherit"],
      timeout: DEADLINE_MS,
      killSignal: "SIGKILL",
    },
  );
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
