/** The operator's settings in its environment, which its chart fills in. */
import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { ThvError } from "@toolhive/core/errors";
import type { ClusterClient } from "../cluster/index.ts";
import type { OperatorSettings } from "../desired/index.ts";

const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
/** A label, as names of namespaces are. */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** In place of an image's name: no image is used. */
const NO_IMAGE = "none";

export interface OperatorEnvironment {
  /** Those that are watched; empty: all. */
  readonly namespaces: readonly string[];
  /** Further networks of the cluster that profiles close. */
  readonly networks: readonly string[];
  readonly settings: Pick<OperatorSettings, "runnerImage" | "proxyHost" | "sidecarImage" | "allowsPrivilegedServers">;
  /** The namespace of the operator itself. */
  namespace(client: ClusterClient): string;
}

/** @throws {ThvError} `CONFIG_INVALID`. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  defaultImage: string,
): OperatorEnvironment {
  const runnerImage = env.TOOLHIVE_RUNNER_IMAGE || defaultImage;
  const sidecarImage = env.TOOLHIVE_SIDECAR_IMAGE || runnerImage;
  return {
    namespaces: readList("WATCH_NAMESPACE", env, "names of namespaces", (each) => NAMESPACE.test(each)),
    networks: readList("TOOLHIVE_CLUSTER_NETWORKS", env, "IPv4 networks such as 10.96.0.0/12", isNetwork),
    settings: {
      runnerImage,
      ...(sidecarImage !== NO_IMAGE && { sidecarImage }),
      proxyHost: env.TOOLHIVE_PROXY_HOST || "0.0.0.0",
      allowsPrivilegedServers: readSwitch("TOOLHIVE_ALLOW_PRIVILEGED_SERVERS", env),
    },
    namespace: (client) => {
      const { config } = client;
      return (
        env.POD_NAMESPACE ||
        readOwnNamespace() ||
        config.getContextObject(config.getCurrentContext())?.namespace ||
        "default"
      );
    },
  };
}

function readList(
  variable: string,
  env: Readonly<Record<string, string | undefined>>,
  what: string,
  isRight: (each: string) => boolean,
): readonly string[] {
  const items = (env[variable] ?? "").split(",").map((each) => each.trim());
  const given = [...new Set(items.filter((each) => each !== ""))];
  const wrong = given.find((each) => !isRight(each));
  if (wrong === undefined) return given;
  throw new ThvError("CONFIG_INVALID", `${variable} has "${wrong.slice(0, 100)}" but must be a list of ${what}.`, {
    hint: `Separate them by commas, or leave ${variable} empty.`,
  });
}

function readSwitch(variable: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const text = env[variable] || "false";
  if (text === "true" || text === "false") return text === "true";
  throw new ThvError("CONFIG_INVALID", `${variable} has "${text.slice(0, 100)}" but must be true or false.`, {
    hint: `Set ${variable} to true or false, or leave it empty: it is false then.`,
  });
}

function isNetwork(text: string): boolean {
  const [address = "", length = "", ...more] = text.split("/");
  return more.length === 0 && isIPv4(address) && /^\d{1,2}$/.test(length) && Number(length) > 0 && Number(length) <= 32;
}

function readOwnNamespace(): string | undefined {
  try {
    return readFileSync(NAMESPACE_FILE, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
