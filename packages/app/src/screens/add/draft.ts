/** The content of the form, and the request and the command that it means. */
import { toRunFlags } from "@toolhive/core/run-flags";
import { quoteWord } from "@toolhive/http/values";
import type { CreateRequest } from "../pasted/source.ts";
import {
  EMPTY_NETWORK,
  editNetwork,
  lines,
  type NetworkDraft,
  toNetworkDraft,
  toNetworkRequest,
  toProfileFlag,
} from "./network-draft.ts";
import { EMPTY_REMOTE, findPipedSecret, type RemoteDraft, toRemoteDraft, toRemoteRequest } from "./remote-draft.ts";
import { formatDuration, parseDuration } from "./sleep-time.ts";

export interface Draft extends NetworkDraft {
  readonly name: string;
  readonly transport: string;
  readonly targetPort: string;
  /** One on each line. */
  readonly args: string;
  /** Values of the variables that the registry's entry asks for, by name; for secret ones the name of a stored secret. */
  readonly asked: Readonly<Record<string, string>>;
  readonly variables: readonly Pair[];
  readonly secrets: readonly Pair[];
  readonly volumes: string;
  /** Time without a call after which it sleeps, as `10m`; `0` for never. */
  readonly sleepAfter: string;
  /** Of a server that runs elsewhere. */
  readonly remote: RemoteDraft;
}

/** A variable of a registry's entry. */
export interface AskedVariable {
  readonly name: string;
  readonly secret?: boolean | undefined;
}

/** A variable with its value, or with the name of a secret. */
export interface Pair {
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

export const EMPTY_DRAFT: Draft = {
  name: "",
  transport: "",
  targetPort: "",
  args: "",
  asked: {},
  variables: [],
  secrets: [],
  ...EMPTY_NETWORK,
  volumes: "",
  sleepAfter: "",
  remote: EMPTY_REMOTE,
};

/**
 * @param source The request that was recognised; what the form says goes first.
 * @param asked What the registry's entry asks for.
 */
export function toRequest(source: CreateRequest, draft: Draft, asked: readonly AskedVariable[] = []): CreateRequest {
  const answers = asked.map(({ name, secret = false }) => ({ name, secret, value: draft.asked[name] ?? "" }));
  const isFilled = ({ name, value }: { readonly name: string; readonly value: string }) => name !== "" && value !== "";
  // A variable of the user's own may be empty on purpose.
  const own = draft.variables.filter(({ name }) => name !== "");
  const typed = [...answers.filter(({ secret }) => !secret).filter(isFilled), ...own];
  // What was pasted stays, but for what the form says otherwise.
  const pasted = (source.env_vars ?? []).filter((each) => !typed.some(({ name }) => each.startsWith(`${name}=`)));
  const variables = [...pasted, ...typed.map(({ name, value }) => `${name}=${value}`)];
  const chosen = [...answers.filter(({ secret }) => secret), ...draft.secrets].filter(isFilled);
  const secrets = [
    ...(source.secrets ?? []).filter(({ target }) => !chosen.some(({ name }) => name === target)),
    ...chosen.map(({ name, value }) => ({ name: value, target: name })),
  ];
  const args = lines(draft.args);
  const volumes = lines(draft.volumes);
  const sleepAfter = parseDuration(draft.sleepAfter);
  return {
    ...source,
    ...(draft.name.trim() !== "" && { name: draft.name.trim() }),
    ...(draft.transport !== "" && { transport: draft.transport }),
    ...(draft.targetPort !== "" && { target_port: Number(draft.targetPort) }),
    ...(args.length > 0 && { cmd_arguments: args }),
    ...(variables.length > 0 && { env_vars: variables }),
    ...(secrets.length > 0 && { secrets }),
    ...(volumes.length > 0 && { volumes: [...new Set([...(source.volumes ?? []), ...volumes])] }),
    ...(sleepAfter !== undefined && { sleep_after_seconds: sleepAfter }),
    ...toNetworkRequest(draft),
  };
}

/** @param asked What the registry's entry asks for. @returns The request for what the form says, in a container or elsewhere. */
export function toWanted(
  source: CreateRequest,
  draft: Draft,
  asked: readonly AskedVariable[],
  isRemote: boolean,
): CreateRequest {
  if (!isRemote) return toRequest(source, draft, asked);
  const { name, transport, remote } = draft;
  const own = toRequest(source, { ...EMPTY_DRAFT, name, transport });
  return toRemoteRequest(own, remote, asked, draft.asked);
}

/** @returns The command that does the same, each word quoted for a shell where it has to be. */
export function toCommand(request: CreateRequest): string {
  const { image, cmd_arguments: args = [] } = request;
  const profile = toProfileFlag(request);
  const rest = args.length > 0 ? ["--", ...args] : [];
  const command = ["thv", "run", ...toRunFlags(request), ...profile.flag, image, ...rest].map(quoteWord).join(" ");
  const piped = findPipedSecret(request);
  if (piped !== undefined) return `thv secret get ${quoteWord(piped)} | ${command}`;
  return profile.input === undefined ? command : `echo ${quoteWord(profile.input)} | ${command}`;
}

/** @returns The form for a request that was made before; the name is omitted, because it stays. */
export function toDraft(request: CreateRequest): Draft {
  const { transport = "", target_port: port = 0, cmd_arguments: args = [], env_vars: variables = [] } = request;
  return {
    ...EMPTY_DRAFT,
    transport,
    targetPort: port === 0 ? "" : String(port),
    args: args.join("\n"),
    variables: variables.map((each, id) => {
      const at = each.indexOf("=");
      return { id, name: each.slice(0, at), value: each.slice(at + 1) };
    }),
    secrets: (request.secrets ?? []).map(({ name, target }, id) => ({ id, name: target, value: name })),
    ...toNetworkDraft(request),
    volumes: (request.volumes ?? []).join("\n"),
    sleepAfter: formatDuration(request.sleep_after_seconds),
    remote: toRemoteDraft(request),
  };
}

/** @returns The request with what the form says now, also where the form has become empty; everything else stays. */
export function toEdited(request: CreateRequest, draft: Draft): CreateRequest {
  const {
    transport: _transport,
    target_port: _port,
    cmd_arguments: _arguments,
    env_vars: _variables,
    secrets: _secrets,
    volumes: _volumes,
    sleep_after_seconds: _sleep,
    network_isolation: _isolation,
    permission_profile: _profile,
    ...rest
  } = request;
  return { ...toRequest(rest, { ...draft, isIsolated: false }), ...editNetwork(request, draft) };
}
