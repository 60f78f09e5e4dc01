/** A registry of images for a test, and projects that are pushed to it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pullProject } from "../project/sharing/pull-project.ts";
import type { RegistryAccess } from "../project/sharing/registry-access.ts";
import { parseSharedReference } from "../project/sharing/shared-reference.ts";
import { BRAND } from "../support/brand.ts";
import { TestPushRegistry } from "./test-push-registry.ts";

export const TEXT = 'servers:\n  echo: { run: "mcp/echo:1", access: { authz_config: policies/read.yaml } }\n';

export const TYPE = BRAND.projectMediaType;

export let registry: TestPushRegistry;

export let access: RegistryAccess;

export let home: string;

/** To be called before each test. */
export async function startRegistry(): Promise<void> {
  registry = await TestPushRegistry.start();
  home = await mkdtemp(join(tmpdir(), "thv-sharing-"));
  access = { env: { HOME: home }, signal: new AbortController().signal };
}

/** To be called after each test. */
export async function stopRegistry(): Promise<void> {
  await registry[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
}

/** For the rest of the test. */
export function useAccess(other: RegistryAccess): void {
  access = other;
}

export const refer = (tag = "1") => parseSharedReference(`oci://${registry.host}/acme/tools:${tag}`);

export const pull = async (reference = refer()) => await pullProject(reference, access);

export const listRequests = (pattern: RegExp) =>
  registry.requests.map(({ method, object }) => `${method} ${object}`).filter((each) => pattern.test(each));
