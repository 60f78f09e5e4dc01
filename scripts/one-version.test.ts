/** The version stands in the root's package.json. What repeats it, because npm wants it there, agrees with it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { listWorkspaces } from "./lib/inputs.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (...parts: string[]) => JSON.parse(readFileSync(join(ROOT, ...parts), "utf8")) as Manifest;
const { version = "none" } = readManifest("package.json");
const workspaces = listWorkspaces(ROOT);

/** Each version that a manifest says of us: its own, and those of the workspaces that it depends on. */
function listOwnVersions({ name, ...manifest }: Manifest): string[] {
  const needed = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  const ours = needed.filter(([each]) => workspaces.some((workspace) => workspace.name === each));
  return [`${name} ${manifest.version}`, ...ours.map(([each, wanted]) => `${name} needs ${each} ${wanted}`)];
}

test("is a plain version", () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("is the one of every workspace, and the one that workspaces need of each other", () => {
  const said = workspaces.flatMap(({ directory }) => listOwnVersions(readManifest(directory, "package.json")));

  expect(said.length).toBeGreaterThan(workspaces.length);
  expect(said.filter((each) => !each.endsWith(` ${version}`))).toEqual([]);
});

test("is the one of the lock file", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, Manifest>>;
  };
  const locked = ["", ...workspaces.map(({ directory }) => directory)].map((directory) => ({
    name: directory || "the root",
    ...packages[directory],
  }));

  const said = locked.flatMap(listOwnVersions);

  expect(said.filter((each) => !each.endsWith(` ${version}`))).toEqual([]);
});
