/**
 * The current Docker context: the one that `DOCKER_CONTEXT` names, or `currentContext` in Docker's `config.json`. Docker
 * Desktop, OrbStack, Colima and remote engines register themselves as one.
 * https://docs.docker.com/engine/manage-resources/contexts/
 */
import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { describeError, ThvError } from "@toolhive/core";
import { describeReadFailure, readTextIfPresent } from "@toolhive/core/bounded-file";
import { parseEngineAddress, type TlsFiles } from "../connection/engine-address.ts";
import type { DiscoveryInput, Place } from "./candidate.ts";
import { readMember } from "./read-member.ts";

/** Means: no context, Docker's usual socket. */
const DEFAULT = "default";

/** @throws {ThvError} `INVALID_ARGUMENT` when `DOCKER_CONTEXT` names one that cannot be used. */
export async function findContextEngine({ env, home }: DiscoveryInput): Promise<Place[]> {
  const directory = env.DOCKER_CONFIG || join(home, ".docker");
  const named = env.DOCKER_CONTEXT;
  try {
    const name = named || (await readCurrentContext(join(directory, "config.json")));
    if (name === undefined || name === "" || name === DEFAULT) return [];
    const origin = named ? `DOCKER_CONTEXT=${named}` : `Docker context "${name}"`;
    return [{ ...(await readContext(name, directory, origin)), origin, explicit: Boolean(named) }];
  } catch (error) {
    if (!(error instanceof ContextProblem)) throw error;
    if (!named) return [{ origin: "Docker context", problem: error.message }];
    throw new ThvError("INVALID_ARGUMENT", `DOCKER_CONTEXT is "${named}", and ${error.message}.`, {
      hint: "See which there are: docker context ls. Or unset DOCKER_CONTEXT.",
      cause: error,
    });
  }
}

/** Half a sentence that says why a context cannot be used. */
class ContextProblem extends Error {}

async function readCurrentContext(path: string): Promise<string | undefined> {
  const settings = await readJson(path);
  const name = readMember(settings, "currentContext");
  return typeof name === "string" ? name : undefined;
}

async function readContext(name: string, directory: string, origin: string) {
  const id = createHash("sha256").update(name).digest("hex");
  const path = join(directory, "contexts/meta", id, "meta.json");
  const meta = await readJson(path);
  if (meta === undefined) throw new ContextProblem(`there is no context of that name in ${directory}`);
  const endpoint = readMember(readMember(meta, "Endpoints"), "docker");
  const host = readMember(endpoint, "Host");
  if (typeof host !== "string") throw new ContextProblem(`${path} names no Docker host`);
  const tls = await findTlsFiles(
    join(directory, "contexts/tls", id, "docker"),
    readMember(endpoint, "SkipTLSVerify") === true,
  );
  try {
    return { address: parseEngineAddress(host, { origin, tls }) };
  } catch (error) {
    throw new ContextProblem(`${path} cannot be used: ${describeError(error).replace(/\.$/, "")}`);
  }
}

/** @returns `undefined` when the context has none, and then its port is a plain one. */
async function findTlsFiles(directory: string, skipsVerification: boolean): Promise<TlsFiles | undefined> {
  const find = async (name: string) => {
    const path = join(directory, name);
    return await access(path).then(
      () => path,
      () => undefined,
    );
  };
  const [ca, cert, key] = await Promise.all(["ca.pem", "cert.pem", "key.pem"].map(find));
  if (!ca && !cert && !key && !skipsVerification) return undefined;
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), skipsVerification };
}

/** @returns `undefined` when there is no such file. */
async function readJson(path: string): Promise<unknown> {
  const text = await readTextIfPresent(path).catch((error: unknown) => {
    throw new ContextProblem(`${path}: ${describeReadFailure(error)}`);
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ContextProblem(`${path} is not JSON`);
  }
}
