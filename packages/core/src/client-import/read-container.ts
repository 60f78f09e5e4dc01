/** `docker run` of a client's file: an image, its variables, its volumes, and what it may use. */
import type { OpenVolume, Program, PullPolicy } from "./imported-entry.ts";
import { hasPlaceholder } from "./placeholders.ts";

/** Written out, because a browser loads this file without the schema. */
const PULL_POLICIES: readonly PullPolicy[] = ["never", "missing", "always"];
/** Options without a value that change nothing of what is imported: ToolHive starts every server so. */
const SWITCHES = /^(?:-[itdq]+|--(?:interactive|tty|rm|init|detach|quiet|sig-proxy)(?:=(?:true|false))?)$/;
const SWITCH_LETTERS: Readonly<Record<string, string>> = { "--interactive": "i", "--tty": "t", "--detach": "d" };
/** An option with its value behind `=`, or, of a short one, behind its letter. Any other value is the next argument. */
const JOINED = /^(--[^=]+)=(.*)$|^(-[a-zA-Z])=?(.+)$/s;
/** Options with a value that ToolHive decides for every server, and those that only label a container. */
const DECIDED =
  /^(?:--name|--restart|--log-driver|--log-opt|--cidfile|-a|--attach|--detach-keys|--stop-timeout|--stop-signal|-h|--hostname|--cap-drop|--security-opt|-l|--label|--annotation|--platform|--expose|--network-alias|--net-alias)$/;
/** Networks that every engine has, and with which a server reaches what it reaches here. */
const USUAL_NETWORKS = /^(?:bridge|default|podman|private|slirp4netns|pasta)(?::|$)/;
/** Options with which a container gets more of the machine than a server here does. */
const RIGHTS =
  /^--(?:privileged|cap-add|device|device-cgroup-rule|gpus|pid|ipc|uts|userns|cgroupns|cgroup-parent|group-add|runtime|sysctl|volumes-from)$/;
const MEMORY = /^[0-9]+(?:\.[0-9]+)?[bkmgBKMG]?$/;
const USER = /^[0-9]+(?::[0-9]+)?$/;

type Limits = {
  -readonly [Member in keyof Extract<Program, { kind: "image" | "package" }>["limits"]]: Extract<
    Program,
    { kind: "image" | "package" }
  >["limits"][Member];
};

interface Reading {
  readonly env: Record<string, string>;
  readonly inherited: string[];
  readonly limits: Limits;
  readonly openVolumes: OpenVolume[];
  readonly notes: string[];
  readonly decided: string[];
  /** Letters of switches: a client that speaks over standard input keeps it open, and has no terminal. */
  switches: string;
}

/**
 * @param args Of `docker`. An unknown option refuses the whole entry: the reader cannot know whether the next argument is its
 * value or the image.
 */
export function readContainer(args: readonly string[]): Program {
  const run = findRun(args);
  if (run === undefined) return { kind: "none", reason: "it is no docker run" };
  const lists = { inherited: [], openVolumes: [], notes: [], decided: [] };
  const reading: Reading = { env: {}, limits: {}, switches: "", ...lists };
  for (let at = 0; at < run.length; at++) {
    const arg = run[at] ?? "";
    if (SWITCHES.test(arg)) {
      reading.switches += arg.startsWith("--") ? (SWITCH_LETTERS[arg] ?? "") : arg;
      continue;
    }
    if (!arg.startsWith("-")) return describeImage(arg, run.slice(at + 1), reading);
    if (/^--read-only(?:=true)?$/.test(arg)) {
      reading.limits.read_only = true;
      continue;
    }
    const [, long, longValue, short, shortValue] = JOINED.exec(arg) ?? [];
    const option = long ?? short ?? arg;
    const value = longValue ?? shortValue ?? run[++at] ?? "";
    if (!takeOption(option, value, reading))
      return { kind: "none", reason: `it has the option ${option.slice(0, 60)}, which ${explainRefusal(option)}` };
  }
  return { kind: "none", reason: "it names no image" };
}

function explainRefusal(option: string): string {
  if (option === "--entrypoint")
    return "replaces the image's own program, the only one that ToolHive starts: use an image that starts the server itself";
  return RIGHTS.test(option) ? "gives it more of this machine than a server gets here" : "has no counterpart";
}

/** The arguments after `run` or `container run`; options of `docker` itself may precede them. */
function findRun(args: readonly string[]): readonly string[] | undefined {
  let at = 0;
  while (/^(?:-c|--context|-H|--host|-l|--log-level)$/.test(args[at] ?? "")) at += 2;
  if (args[at] === "container") at += 1;
  return args[at] === "run" ? args.slice(at + 1) : undefined;
}

function describeImage(image: string, args: readonly string[], reading: Reading): Program {
  const { env, inherited, limits, openVolumes, decided, switches } = reading;
  // A server that is reached at a published port speaks HTTP there, unless a client holds its standard input.
  const isHttp = limits.target_port !== undefined && (!switches.includes("i") || switches.includes("t"));
  const port = limits.target_port;
  if (isHttp) limits.transport = /--transport[= ]sse(?:\s|$)/.test(args.join(" ")) ? "sse" : "streamable-http";
  else delete limits.target_port;
  const notes = [
    ...reading.notes,
    ...(isHttp ? [`it publishes its port ${port}, so it is run as a server that speaks HTTP there`] : []),
    ...(!isHttp && port !== undefined ? ["its published port was left out: clients reach it at ToolHive's proxy"] : []),
    ...(decided.length > 0 ? [`its options ${decided.join(", ")} were left out: ToolHive decides these itself`] : []),
  ];
  return { kind: "image", run: image, args, env, inherited, limits, openVolumes, notes };
}

/** @returns Whether the option has a counterpart, or none that the server would miss. */
function takeOption(option: string, value: string, reading: Reading): boolean {
  const { env, inherited, limits, notes, decided } = reading;
  switch (option) {
    case "-v":
    case "--volume":
      return takeVolume(value, reading);
    case "--mount":
      return takeMount(value, reading);
    case "-p":
    case "--publish":
      takePort(value, limits);
      return true;
    case "-e":
    case "--env": {
      const split = value.indexOf("=");
      if (split > 0) env[value.slice(0, split)] = value.slice(split + 1);
      else if (value !== "") inherited.push(value);
      return true;
    }
    case "--env-file":
      notes.push(
        `the variables in its file ${value.slice(0, 200)} are not read: add them to its variables and secrets`,
      );
      return true;
    case "--pull": {
      const pull = PULL_POLICIES.find((policy) => policy === value);
      if (pull) limits.pull = pull;
      return pull !== undefined;
    }
    case "-u":
    case "--user":
      limits.user = value;
      return USER.test(value);
    case "-m":
    case "--memory":
      limits.memory = value;
      return MEMORY.test(value);
    case "--cpus":
      limits.cpus = Number(value);
      return /^[0-9]+(?:\.[0-9]+)?$/.test(value);
    case "--pids-limit":
      limits.pids_limit = Number(value);
      return /^[0-9]+$/.test(value);
    case "--network":
    case "--net":
      if (value === "none") limits.permission_profile = "none";
      else if (!USUAL_NETWORKS.test(value)) notes.push(describeNetwork(value));
      return true;
    default:
      if (!DECIDED.test(option)) return false;
      decided.push(option);
      return true;
  }
}

function describeNetwork(name: string): string {
  if (name === "host")
    return "it would have this machine's network; here it gets one of its own, where localhost is the server itself: give it other addresses of services on this machine";
  return `its network ${name.slice(0, 100)} was left out: here it reaches the internet unless a permission profile limits it, and no containers by their names`;
}

/** `8000`, `8080:8000`, `127.0.0.1:8080:8000/tcp`: the last one is in the container. Of several, the first counts. */
function takePort(value: string, limits: Limits): void {
  const [, port = ""] = /(?:^|:)(\d{1,5})(?:\/tcp)?$/.exec(value) ?? [];
  if (limits.target_port === undefined && Number(port) > 0 && Number(port) < 65_536) limits.target_port = Number(port);
}

function takeVolume(value: string, { limits, notes, openVolumes }: Reading): boolean {
  const [, source = value] = /^((?:[A-Za-z]:)?[^:]*)(?::|$)/s.exec(value) ?? [];
  if (hasPlaceholder(value)) {
    const [, shown = "", target = "", mode = ""] = /^(.*?):(\/[^:]*)(?::([a-z,]+))?$/s.exec(value) ?? [];
    if (shown !== "") openVolumes.push({ shown, target, isReadOnly: mode.split(",").includes("ro") });
    notes.push(describeUnknownVolume(value));
  } else if (/^[^./~\\:][^/\\:]*$/.test(source)) notes.push(describeEngineVolume(source));
  else limits.volumes = [...(limits.volumes ?? []), value];
  return true;
}

/** `type=bind,src=/home/me/maps,dst=/maps,readonly` */
function takeMount(value: string, reading: Reading): boolean {
  const parts = new Map(
    value.split(",").map((part) => {
      const [key = "", ...rest] = part.split("=");
      return [key.trim().toLowerCase(), rest.join("=")] as const;
    }),
  );
  const source = parts.get("source") ?? parts.get("src");
  const target = parts.get("target") ?? parts.get("destination") ?? parts.get("dst");
  if (parts.get("type") !== "bind") {
    if (source !== undefined) reading.notes.push(describeEngineVolume(source));
    return parts.get("type") === "volume" || parts.get("type") === undefined;
  }
  if (source === undefined || target === undefined) return false;
  const readOnly = parts.get("readonly") ?? parts.get("ro");
  const isReadOnly = readOnly !== undefined && readOnly !== "false" && readOnly !== "0";
  return takeVolume(`${source}:${target}${isReadOnly ? ":ro" : ""}`, reading);
}

function describeUnknownVolume(value: string): string {
  return `its volume ${value.slice(0, 200)} has a placeholder that only the client fills in, and was left out`;
}

function describeEngineVolume(name: string): string {
  return `its volume ${name.slice(0, 100)} is kept by the engine, and was left out: give it a folder, or what it stores is lost with its container`;
}
