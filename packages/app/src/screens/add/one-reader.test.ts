/** What `thv import` and this form make of the same entry of a client's file. */
import { importClientFile, readProject } from "@toolhive/core";
import { expect, test } from "vitest";
import { applyChoices, NO_CHOICES } from "../pasted/pasted-servers.ts";
import { type CreateRequest, recognise } from "../pasted/source.ts";

const FILE = "/srv/shop/thv.yaml";
const docker = (...args: string[]) => ({ command: "docker", args: ["run", ...args] });

/** What `thv up` asks for, once the file that `thv import` wrote is read. */
function importByCommand(entry: unknown): CreateRequest | string {
  const good = { command: "npx", args: ["good"] };
  const { text, skipped } = importClientFile(JSON.stringify({ mcpServers: { good, s1: entry } }), "mcp.json", FILE);
  const reason = skipped.find(({ name }) => name === "s1")?.reason;
  if (reason !== undefined) return reason;
  const request = readProject(text, FILE).servers.find(({ name }) => name === "s1")?.request;
  const { labels: _label, ...rest } = request ?? { image: "" };
  return rest;
}

/** What the form asks for when the secrets that it offers are stored under their names. */
function importByForm(entry: unknown): CreateRequest | string {
  const source = recognise(JSON.stringify({ mcpServers: { s1: entry } }), new Set());
  if (source.kind === "none") return source.reason;
  const [server] = source.kind === "pasted" ? source.servers : [];
  if (server === undefined) return "the text has no server";
  const secrets = Object.fromEntries(server.secrets.map(({ name, target }) => [target, name]));
  return applyChoices(server, { ...NO_CHOICES, secrets });
}

const IMAGE = "mcp/x:1";
const TOKEN = { secrets: [{ name: "s1-github-token", target: "GITHUB_TOKEN" }] };

test.each([
  [
    docker("-i", "--rm", "-e", "UNITS=metric", "-e", "GITHUB_TOKEN=abc", "-v", "/data:/data:ro", IMAGE),
    { image: IMAGE, env_vars: ["UNITS=metric"], ...TOKEN, volumes: ["/data:/data:ro"] },
  ],
  [
    { ...docker("-e", "GITHUB_TOKEN", IMAGE), env: { GITHUB_TOKEN: "ghp_1" } },
    { image: IMAGE, ...TOKEN },
  ],
  [docker("--pull", "always", IMAGE, "stdio"), { image: IMAGE, pull_policy: "always", cmd_arguments: ["stdio"] }],
  [docker("--pull=never", "-eUNITS=metric", IMAGE), { image: IMAGE, pull_policy: "never", env_vars: ["UNITS=metric"] }],
  [docker("-dit", "--rm=true", "-e=UNITS=metric", IMAGE), { image: IMAGE, env_vars: ["UNITS=metric"] }],
  [docker("--platform", "linux/amd64", IMAGE), { image: IMAGE }],
  [docker("--entrypoint", "sh", IMAGE), "it has the option --entrypoint, which replaces the image's own program"],
  [
    docker("-u", "1000:1000", "--memory=512m", "--cpus", "0.5", "--pids-limit=64", "--read-only", "--net=none", IMAGE),
    {
      image: IMAGE,
      user: "1000:1000",
      limits: { memory_bytes: 536_870_912, cpus: 0.5, pids: 64 },
      read_only: true,
      permission_profile: { name: "none" },
    },
  ],
  [docker("--mount", "type=bind,src=/a,dst=/b,ro", IMAGE), { image: IMAGE, volumes: ["/a:/b:ro"] }],
  [
    { command: "npx", args: ["thing"], includeTools: ["a", "b"], disabledTools: ["b"] },
    { image: "npx://thing", tools: ["a"] },
  ],
  [docker("--network=host", IMAGE), { image: IMAGE }],
  [docker("--net", "backend", "--network-alias=maps", IMAGE), { image: IMAGE }],
  [docker("--gpus", "all", IMAGE), "it has the option --gpus, which gives it more of this machine"],
  [docker("--privileged", IMAGE), "it has the option --privileged, which gives it more of this machine"],
  [{ command: "npx", args: ["-y", "--package=foo", "bar"] }, { image: "npx://foo#bar" }],
  [
    { command: "uvx", args: ["--with", "mcp<2", "--python=3.12", "thing"] },
    { image: "uvx://thing", base_image: "python:3.12-slim", with: ["mcp<2"] },
  ],
  [{ command: "go", args: ["run", "example.com/x@latest"] }, { image: "go://example.com/x@latest" }],
  [{ command: "pipx", args: ["run", "thing"] }, { image: "uvx://thing" }],
  [{ httpUrl: "https://mcp.example.com/mcp" }, { image: "https://mcp.example.com/mcp" }],
  [
    { url: "https://mcp.example.com/sse", type: "sse", headers: { Authorization: "Bearer x", "X-Team": "maps" } },
    {
      image: "https://mcp.example.com/sse",
      transport: "sse",
      header_forward: {
        add_plaintext_headers: { "X-Team": "maps" },
        add_headers_from_secret: { Authorization: "s1-authorization" },
      },
    },
  ],
])("%j is the same for both", (entry, expected) => {
  const request = importByCommand(entry);

  if (typeof expected === "string") {
    expect(request).toContain(expected);
    expect(importByForm(entry)).toBe(`s1: ${request}.`);
  } else {
    expect(request).toEqual({ name: "s1", ...expected });
    expect(importByForm(entry)).toEqual(request);
  }
});

/** Options of `docker run` that take a value, from its reference. */
const OPTIONS_WITH_VALUE = [
  ...["-a", "-c", "-e", "-h", "-l", "-m", "-p", "-u", "-v", "-w", "--add-host", "--annotation", "--attach"],
  ...["--blkio-weight", "--blkio-weight-device", "--cap-add", "--cap-drop", "--cgroup-parent", "--cgroupns"],
  ...["--cidfile", "--cpu-count", "--cpu-percent", "--cpu-period", "--cpu-quota", "--cpu-rt-period"],
  ...["--cpu-rt-runtime", "--cpu-shares", "--cpus", "--cpuset-cpus", "--cpuset-mems", "--detach-keys", "--device"],
  ...["--device-cgroup-rule", "--device-read-bps", "--device-read-iops", "--device-write-bps", "--device-write-iops"],
  ...["--dns", "--dns-option", "--dns-search", "--domainname", "--entrypoint", "--env", "--env-file", "--expose"],
  ...["--gpus", "--group-add", "--health-cmd", "--health-interval", "--health-retries", "--health-start-period"],
  ...["--health-timeout", "--hostname", "--ip", "--ip6", "--ipc", "--isolation", "--label", "--label-file", "--link"],
  ...["--link-local-ip", "--log-driver", "--log-opt", "--mac-address", "--memory", "--memory-reservation"],
  ...["--memory-swap", "--memory-swappiness", "--mount", "--name", "--network", "--network-alias", "--oom-score-adj"],
  ...["--pid", "--pids-limit", "--platform", "--publish", "--pull", "--restart", "--runtime", "--security-opt"],
  ...["--shm-size", "--stop-signal", "--stop-timeout", "--storage-opt", "--sysctl", "--tmpfs", "--ulimit", "--user"],
  ...["--userns", "--uts", "--volume", "--volume-driver", "--volumes-from", "--workdir"],
];

test.each(OPTIONS_WITH_VALUE)("the value of %s is never taken for the image", (option) => {
  const joined = option.startsWith("--") ? `${option}=/a:/b` : `${option}/a:/b`;
  for (const words of [[option, "/a:/b"], [joined]]) {
    const request = importByForm(docker("-i", ...words, IMAGE));
    if (typeof request === "string") expect(request).toContain(`it has the option ${option}, which`);
    else expect(request.image).toBe(IMAGE);
  }
});
