/** The list of variables is that of the sources: a reader finds each that they read, and none that they do not. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ENVIRONMENT_VARIABLES } from "./environment.ts";

const PACKAGES = fileURLToPath(new URL("../../..", import.meta.url));
/** What `thv` consists of; the operator has a page of its own. */
const OF_THV = ["cli", "core", "engine", "proxy", "http", "api"];

/** Every system sets them for all programs, and nobody sets them for this one. */
const OF_THE_SYSTEM = new Set([
  ...["HOME", "PATH", "SHELL", "ZDOTDIR", "USERPROFILE", "USERNAME", "USERDOMAIN", "LOCALAPPDATA", "APPDATA"],
  ...[
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "SSH_CONNECTION",
    "XDG_DATA_DIRS",
    "KUBERNETES_SERVICE_HOST",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
  ],
]);
/** Between programs of ours, or of a build; nobody sets them. */
const OF_OURS = new Set(["TOOLHIVE_BUILD", "TOOLHIVE_SIDECAR_RULES", "TOOLHIVE_SIDECAR_CLOSED_FILE", "NODE_OPTIONS"]);
/** Of examples in texts. */
const OF_EXAMPLES = new Set(["KEY", "NAME", "UNITS", "GITHUB_TOKEN"]);
/** Read by a library, where the sources have no name of it. */
const OF_LIBRARIES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "KUBECONFIG", "XDG_CONFIG_HOME"];

const MEMBER = /\benv(?:ironment)?\??\.([A-Z][A-Z0-9_]+)\b/g;
const TAKEN_OUT = /\{ ([A-Z_, ]+) \} = (?:[\w.#]+\.)?env\b/g;
const NAME =
  /"((?:TOOLHIVE|DOCKER|CONTAINER|XDG|OP|OTEL|NODE|SSL|THV|PODMAN)_[A-Z0-9_]+|VISUAL|EDITOR|PAGER|NO_COLOR)"/g;
/** Codes of errors look like names of variables. */
const CODE = /^(?:CONTAINER|OP)_(?:NAME_TAKEN|FAILED|EXITED)$/;

function listSources(): string[] {
  return OF_THV.flatMap((name) => {
    const folder = join(PACKAGES, name, "src");
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|(?:^|\/)testing\/|topics\/environment\.ts$/.test(file))
      .map((file) => readFileSync(join(folder, file), "utf8"));
  });
}

function listRead(source: string): string[] {
  const code = source.replace(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "");
  const takenOut = [...code.matchAll(TAKEN_OUT)].flatMap(([, names = ""]) => names.split(", "));
  return [...code.matchAll(MEMBER), ...code.matchAll(NAME)]
    .map(([, name = ""]) => name)
    .concat(takenOut)
    .filter((name) => !CODE.test(name));
}

const read = new Set(listSources().flatMap(listRead));
const listed = ENVIRONMENT_VARIABLES.map(({ name }) => name);

test("names each variable that thv reads", () => {
  expect(read.size).toBeGreaterThan(30);
  const missing = [...read].filter(
    (name) => !listed.includes(name) && !OF_THE_SYSTEM.has(name) && !OF_OURS.has(name) && !OF_EXAMPLES.has(name),
  );

  expect(missing).toEqual([]);
});

test("names no variable that thv does not read, and none twice", () => {
  expect(listed.filter((name) => !read.has(name) && !OF_LIBRARIES.includes(name))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

test.each([
  ["env.DOCKER_HOST", ["DOCKER_HOST"]],
  ['for (const name of ["VISUAL", "EDITOR"])', ["VISUAL", "EDITOR"]],
  ["const { NO_COLOR, TERM } = this.#options.env;", ["NO_COLOR", "TERM"]],
  ["/** `env.NOTHING` */", []],
  ['new ThvError("CONTAINER_NAME_TAKEN")', []],
])("reads in %s the variables %j", (source, names) => {
  expect(listRead(source)).toEqual(names);
});
