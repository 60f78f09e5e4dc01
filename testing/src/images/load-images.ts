/** Puts the cached images into an engine, as `docker load` takes them. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../command.ts";
import type { ImageCache } from "./image-cache.ts";

export interface LoadOptions {
  /** Program and leading arguments that reach the engine, for example `["docker", "-H", "unix:///…"]`. */
  readonly cli: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** References to leave alone, because somebody else's images carry them. */
  readonly except?: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Loads every image under all of its tags but the excepted ones.
 *
 * @returns The references that were added.
 * @throws {Error} When the engine refuses the archive.
 */
export async function loadImages(
  { directory, images }: ImageCache,
  { cli, env, except = new Set(), signal }: LoadOptions,
): Promise<string[]> {
  const manifest = images
    .map(({ definition, config, layers }) => ({
      Config: config,
      // With the host of the image registry, which Podman would otherwise take to be `localhost`.
      RepoTags: definition.tags.filter((tag) => !except.has(tag)).map((tag) => `docker.io/${tag}`),
      Layers: layers,
    }))
    .filter(({ RepoTags }) => RepoTags.length > 0);
  if (manifest.length === 0) return [];

  const staging = await mkdtemp(join(tmpdir(), "thv-load-"));
  try {
    await writeFile(join(staging, "manifest.json"), JSON.stringify(manifest));
    const files = new Set(manifest.flatMap(({ Config, Layers }) => [Config, ...Layers]));
    const archive = spawn("tar", ["-cf", "-", "-C", staging, "manifest.json", "-C", directory, ...files], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [program, ...leading] = cli;
    try {
      const { code, stderr, stdout } = await runCommand(program, [...leading, "load"], {
        env,
        input: archive.stdout,
        signal,
      });
      if (code !== 0) throw new Error(`${program} load ended with ${code}: ${(stderr || stdout).trim()}`);
    } finally {
      archive.kill();
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return manifest.flatMap(({ RepoTags }) => RepoTags);
}
