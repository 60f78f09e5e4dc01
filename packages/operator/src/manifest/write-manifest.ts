/** A workload of this machine as an MCPServer, and the other objects that it needs on a cluster. */

import { dumpYaml } from "@kubernetes/client-node/dist/yaml.js";
import type { CreateRequest } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { readOutbound, resolveProfile } from "@toolhive/core/permissions";
import { isRemoteTarget, parseTarget } from "@toolhive/core/target";
import { isLoopback } from "@toolhive/http";
import { quoteWord } from "@toolhive/http/values";
import {
  API_VERSION,
  type JsonObject,
  KIND,
  type MCPServerSpec,
  TOOL_CONFIG_KIND,
  TRANSPORTS,
} from "../contract/index.ts";
import { writeAccess } from "./access.ts";
import { escapeReferences } from "./expansion.ts";
import { writePodTemplate } from "./server-pod.ts";

/** Characters of a name; the longest one made from it, of its Service, has 13 more and 63 at most. */
const MAX_NAME_LENGTH = 50;
/** Characters of a line of notes. */
const LINE_LENGTH = 100;

export interface Manifest {
  /** The MCPServer first. */
  readonly objects: readonly JsonObject[];
  /** Sentences about what an MCPServer says in another way, or not at all. */
  readonly notes: readonly string[];
  /** The command that creates the Secret which the MCPServer names; absent when it names none. */
  readonly secretCommand?: string;
}

/**
 * @param request As `thv export` prints it.
 * @throws {ThvError} `NOT_SUPPORTED` for a server that no image in a registry is of, or whose callers could not be limited.
 */
export function createManifest(request: CreateRequest): Manifest {
  const { image, transport = "stdio", labels } = request;
  if (request.url !== undefined || isRemoteTarget(image)) {
    throw new ThvError("NOT_SUPPORTED", "The server runs elsewhere, and an MCPServer runs an image.", {
      hint: "Write an MCPRemoteProxy with its address as remoteURL.",
    });
  }
  if (parseTarget(image).kind === "package") {
    throw new ThvError(
      "NOT_SUPPORTED",
      `The image of ${image} was built on this machine, and a cluster cannot pull it.`,
      {
        hint: "Push an image of the package to a registry, run the server from that one, and export it.",
      },
    );
  }
  if (!(TRANSPORTS as readonly string[]).includes(transport)) {
    throw new ThvError("NOT_SUPPORTED", `A server with the transport ${transport} cannot run on a cluster.`);
  }
  const notes = listLeftOut(request);
  const name = createObjectName(request.name ?? "server");
  if (name !== request.name) notes.push(`The name is ${name}, because ${request.name} is no name on a cluster.`);
  const secrets = writeSecrets(name, request.secrets ?? []);
  const profile = writeProfile(name, request, notes);
  const choice = writeTools(name, request);
  const { volumes = [], allowed_hosts = [], image_verification } = request;
  if (volumes.length > 0) notes.push("Folders of this machine are left out: mount a volume with podTemplateSpec.");
  if (allowed_hosts.length > 0) notes.push("The host names of the proxy are left out: an Ingress has its own.");
  if (request.learn_network) {
    notes.push(
      "The network rules are not learned on a cluster: enforce what was learned first, with thv permission learn --apply.",
    );
  }
  if (request.find_tools)
    notes.push("Clients get the list of all tools on a cluster: find_tool and call_tool do not stand for them there.");
  if (request.pin_tools !== undefined && request.pin_tools !== "off")
    notes.push("Tools are not pinned on a cluster: what the server changes is not held back there.");
  if (request.image_digest !== undefined) {
    notes.push("The image's digest is not compared on a cluster: name the image as NAME@DIGEST for that.");
  }
  if (image_verification === "enabled") {
    notes.push("The image's origin is not verified on a cluster, unless an admission controller does it.");
  }
  const { target_port, proxy_mode, cmd_arguments = [], env_vars } = request;
  const template = writePodTemplate(request, notes);
  const spec: MCPServerSpec = {
    image,
    transport: transport as NonNullable<MCPServerSpec["transport"]>,
    ...(target_port && { targetPort: target_port }),
    ...(proxy_mode && transport === "stdio" && { proxyMode: proxy_mode as NonNullable<MCPServerSpec["proxyMode"]> }),
    ...(cmd_arguments.length > 0 && { args: cmd_arguments.map(escapeReferences) }),
    ...(env_vars && env_vars.length > 0 && { env: env_vars.map(readVariable) }),
    ...(secrets.references.length > 0 && { secrets: secrets.references }),
    ...profile.spec,
    ...choice.spec,
    ...writeIdle(request, notes),
    ...(template && { podTemplateSpec: template }),
    ...writeAccess(request, notes),
  };
  const hasLabels = labels !== undefined && Object.keys(labels).length > 0;
  const server = { apiVersion: API_VERSION, kind: KIND, metadata: { name, ...(hasLabels && { labels }) }, spec };
  const objects = [server, ...profile.objects, ...choice.objects];
  return { objects, notes, ...(secrets.command && { secretCommand: secrets.command }) };
}

/** Members that say something of this machine, or of how it builds and checks an image, and that an MCPServer has no place for. */
const OF_THIS_MACHINE = [
  ...(["target_host", "group", "ca_certificate", "base_image", "with", "provenance", "changed_tools"] as const),
] satisfies readonly (keyof CreateRequest)[];

function listLeftOut(request: CreateRequest): string[] {
  const lost: string[] = OF_THIS_MACHINE.filter((member) => JSON.stringify(request[member] ?? []) !== "[]");
  // A Service has an address and a port of its own, whatever the proxy has here.
  if (request.host !== undefined && !isLoopback(request.host)) lost.unshift("host");
  return lost.length === 0 ? [] : [`Left out, because they are for this machine: ${lost.join(", ")}.`];
}

/** @returns YAML with what a reader has to know as comments. */
export function printManifest({ objects, notes, secretCommand }: Manifest): string {
  const sentences = [...notes];
  if (secretCommand) sentences.push("The Secret is not in this file. Create it in the namespace of the server:");
  const comments = [...sentences.flatMap(wrapSentence), ...(secretCommand ? [`  ${secretCommand}`] : [])];
  const head = comments.map((line) => `# ${line}\n`).join("");
  return head + objects.map((object) => dumpYaml(object, { lineWidth: 120, noRefs: true })).join("---\n");
}

function createObjectName(name: string): string {
  const words = name.toLowerCase().split(/[^a-z0-9]/);
  const plain = words.filter((word) => word !== "").join("-");
  const cut = plain.slice(0, MAX_NAME_LENGTH);
  return (cut.endsWith("-") ? cut.slice(0, -1) : cut) || "server";
}

function readVariable(text: string): { name: string; value: string } {
  const [name = ""] = text.split("=", 1);
  return { name, value: escapeReferences(text.slice(name.length + 1)) };
}

/** The values stay where they are: the command reads them without showing them to other programs. */
function writeSecrets(server: string, secrets: NonNullable<CreateRequest["secrets"]>) {
  const name = `${server}-secrets`;
  const keys = new Map<string, string>();
  for (const secret of secrets) {
    const plain = secret.name.replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(0, 200);
    const taken = [...keys].filter(([other, key]) => other !== secret.name && key.replace(/-\d+$/, "") === plain);
    if (!keys.has(secret.name)) keys.set(secret.name, taken.length === 0 ? plain : `${plain}-${taken.length + 1}`);
  }
  const references = secrets.map((secret) => {
    const key = keys.get(secret.name) ?? secret.name;
    return { name, key, ...(key !== secret.target && { targetEnvName: secret.target }) };
  });
  const values = [...keys].map(
    ([secret, key]) => `--from-file=${key}=<(printf %s "$(thv secret get ${quoteWord(secret)})")`,
  );
  const command = `kubectl create secret generic ${name} ${values.join(" ")}`;
  return { references, ...(references.length > 0 && { command }) };
}

/** An MCPToolConfig holds the other names. */
function writeTools(server: string, { tools = [], tools_override: overrides = {} }: CreateRequest) {
  if (Object.keys(overrides).length === 0) return { spec: tools.length > 0 ? { tools } : {}, objects: [] };
  const name = `${server}-tools`;
  const spec = { ...(tools.length > 0 && { toolsFilter: tools }), toolsOverride: overrides };
  return {
    spec: { toolConfigRef: { name } },
    objects: [{ apiVersion: API_VERSION, kind: TOOL_CONFIG_KIND, metadata: { name }, spec }],
  };
}

/** A cluster knows minutes, from one to a day. */
function writeIdle({ sleep_after_seconds: seconds = 0 }: CreateRequest, notes: string[]): Pick<MCPServerSpec, "idle"> {
  if (seconds === 0) return {};
  const minutes = Math.min(24 * 60, Math.ceil(seconds / 60));
  if (minutes * 60 !== seconds)
    notes.push(`The server sleeps after ${minutes} min there, and after ${seconds} s here.`);
  return { idle: { after: `${minutes}m` } };
}

/** A profile of its own is in a ConfigMap. The operator always enforces its network rules. */
function writeProfile(name: string, request: CreateRequest, notes: string[]) {
  const { permission_profile, network_isolation: isIsolated = false } = request;
  if (permission_profile === undefined) return { spec: {}, objects: [] };
  const profile = resolveProfile(permission_profile);
  const { allowAll, hosts, ports } = readOutbound(profile);
  const { read = [], write = [] } = profile;
  if (read.length + write.length > 0) notes.push("The folders of the permission profile are left out.");
  const isOpen = allowAll && hosts.length === 0 && ports.length === 0;
  const isClosed = !allowAll && hosts.length === 0 && ports.length === 0;
  if (isOpen || isClosed) {
    return {
      spec: { permissionProfile: { type: "builtin", name: isOpen ? "network" : "none" } as const },
      objects: [],
    };
  }
  if (!isIsolated) notes.push("The network rules are not enforced here, and will be on a cluster.");
  const map = `${name}-profile`;
  const data = { "profile.json": JSON.stringify({ network: profile.network }, null, 2) };
  return {
    spec: { permissionProfile: { type: "configmap", name: map, key: "profile.json" } as const },
    objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: map }, data }],
  };
}

function wrapSentence(sentence: string): string[] {
  const lines: string[] = [];
  for (const word of sentence.replaceAll(/\s+/g, " ").split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE_LENGTH) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}
