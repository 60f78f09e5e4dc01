/**
 * The Dockerfile for a package: a base image with what servers commonly need, the package installed into it, a user without
 * rights, and the package's program as the entry point. A start needs no package registry.
 */
import type { PackageScheme } from "../target/target.ts";
import { NPM_INSTALLER, UV_INSTALLER } from "./install-programs.ts";
import { deriveGoProgram, listSpecifiers, type PackageTarget } from "./package-target.ts";

/** User and group in the container. */
const USER = "10001:10001";

/**
 * Where the server runs and may write. Engines give a folder that they create to the user, and leave an existing one
 * unchanged.
 */
const HOME = "/home/toolhive";

/** A shell's line that names the user: some programs look their own user up, and end when it has no entry. */
const USER_SETUP = `echo toolhive:x:${USER}::${HOME}:/bin/sh >> /etc/passwd && echo toolhive:x:10001: >> /etc/group`;

/** Where the package is. */
const PACKAGE_FOLDER = "/opt/toolhive";

export const CA_FILE = "toolhive-ca.pem";
/** Where the certificate is in the image. */
const CA_PATH = `/etc/toolhive/${CA_FILE}`;
const SYSTEM_BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

/** Argument with another value in each build, so that an engine never takes an older installation for this one. */
export const BUILD_ARGUMENT = "TOOLHIVE_BUILD";
/** Label, with the same value, of the stage that is not part of the image. */
export const STAGE_LABEL = "toolhive-build-stage";

/** Label of the image that keeps what all packages of a scheme have in common. */
export const SETUP_LABEL = "toolhive-setup";

const DEBIAN = "docker.io/library/debian:13-slim";
/** From Debian's archive, which is signed, so that no certificate is needed yet. */
const DEBIAN_SETUP =
  "apt-get update && apt-get install -y --no-install-recommends ca-certificates git && rm -rf /var/lib/apt/lists/*";

interface Recipe {
  /** Has the package manager. */
  readonly base: string;
  /** Environment variable that names another base image, which must then contain everything. */
  readonly baseVariable: string;
  /** Where the package is installed, if not in the image itself. */
  readonly builder?: string;
  /** A shell's line that adds what a base image of Debian lacks. */
  readonly setup: string;
  /** A shell's line that adds the package manager where it is missing. */
  readonly manager?: string;
  /** Of the server, too. */
  readonly env: Readonly<Record<string, string>>;
  /** A program for the build. */
  readonly installer?: { readonly file: string; readonly text: string; readonly interpreter: string };
}

/** Programs of .NET, which npm packages bring along, end at once on a Debian without ICU unless this is set. */
const WITHOUT_ICU = { DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" };

const RECIPES: Readonly<Record<PackageScheme, Recipe>> = {
  npx: {
    base: "docker.io/library/node:24-slim",
    baseVariable: "TOOLHIVE_NPX_BASE_IMAGE",
    setup: DEBIAN_SETUP,
    env: { NODE_ENV: "production", NPM_CONFIG_UPDATE_NOTIFIER: "false", ...WITHOUT_ICU },
    installer: { file: "install.cjs", text: NPM_INSTALLER, interpreter: "node" },
  },
  uvx: {
    base: "docker.io/library/python:3.13-slim",
    baseVariable: "TOOLHIVE_UVX_BASE_IMAGE",
    setup: DEBIAN_SETUP,
    manager: "command -v uv >/dev/null || pip install --no-cache-dir --disable-pip-version-check uv",
    env: { PYTHONUNBUFFERED: "1", UV_NO_PROGRESS: "1", ...WITHOUT_ICU },
    installer: { file: "install.sh", text: UV_INSTALLER, interpreter: "sh" },
  },
  go: {
    base: DEBIAN,
    baseVariable: "TOOLHIVE_GO_BASE_IMAGE",
    builder: "docker.io/library/golang:1.26",
    setup: DEBIAN_SETUP,
    env: {},
  },
};

/** Environment variables that make each package manager trust the certificate, besides the system's own bundle. */
const CA_ENV: Readonly<Record<PackageScheme, Readonly<Record<string, string>>>> = {
  npx: { NODE_EXTRA_CA_CERTS: CA_PATH },
  uvx: { SSL_CERT_FILE: SYSTEM_BUNDLE },
  go: {},
};

interface DockerfileOptions {
  /** Another base image. */
  readonly base?: string | undefined;
  /** Packages that are installed with the package. */
  readonly extra?: readonly string[] | undefined;
  /** Whether the context holds a certificate. */
  readonly hasCa: boolean;
}

/** The names of the base images that are used for a scheme. @param own Another one, which takes the place of all. */
export function listBaseImages(scheme: PackageScheme, own: string | undefined): string[] {
  const { base, builder } = RECIPES[scheme];
  if (own !== undefined) return [own];
  return builder === undefined ? [base] : [builder, base];
}

/** The environment variable of the supervisor that names another one. */
export function getBaseVariable(scheme: PackageScheme): string {
  return RECIPES[scheme].baseVariable;
}

/** The program that the build of a package needs beside the Dockerfile. */
export function getInstaller({ scheme }: PackageTarget): { readonly file: string; readonly text: string } | undefined {
  return RECIPES[scheme].installer;
}

/**
 * The context beside it: `app/`, the folder that the server may write to, the program that installs, and the certificate if
 * there is one.
 */
export function formatDockerfile(target: PackageTarget, { base: own, extra = [], hasCa }: DockerfileOptions): string {
  const { scheme } = target;
  const recipe = RECIPES[scheme];
  const trusts = hasCa ? formatTrust(scheme, own !== undefined) : [];
  const builder = own ?? recipe.builder;
  const isStaged = recipe.builder !== undefined && builder !== undefined;
  return [
    ...(isStaged ? [`FROM ${builder} AS build`, ...trusts, ...formatGoBuild(target)] : []),
    `FROM ${own ?? recipe.base}`,
    formatRun(["sh", "-c", own === undefined ? `${recipe.setup} && ${USER_SETUP}` : USER_SETUP]),
    ...trusts,
    ...(recipe.manager === undefined ? [] : [formatRun(["sh", "-c", recipe.manager])]),
    ...formatVariables(recipe.env),
    ...(isStaged
      ? [`COPY --from=build ${PACKAGE_FOLDER}/bin ${PACKAGE_FOLDER}/bin`]
      : formatInstallation(target, recipe, extra)),
    `COPY --chown=${USER} app ${HOME}`,
    ...formatVariables({ HOME }),
    `WORKDIR ${HOME}`,
    `USER ${USER}`,
    `ENTRYPOINT ${JSON.stringify(getEntryPoint(target))}`,
    "",
  ].join("\n");
}

/**
 * The first layers of every package of a scheme, as an image of their own. Engines remove a layer with the last image that has it,
 * so the next package would install Git again without this one.
 */
export function formatSetupDockerfile(scheme: PackageScheme): string {
  const { base, setup } = RECIPES[scheme];
  return [
    `FROM ${base}`,
    formatRun(["sh", "-c", `${setup} && ${USER_SETUP}`]),
    `LABEL ${SETUP_LABEL}=${scheme}`,
    "",
  ].join("\n");
}

/** Node.js adds the certificate to its own; the others read the system's bundle only. */
function formatTrust(scheme: PackageScheme, isOwnBase: boolean): string[] {
  const extendsBundle = !isOwnBase || scheme !== "npx";
  return [
    `COPY ${CA_FILE} ${CA_PATH}`,
    ...(extendsBundle ? [formatRun(["sh", "-c", `cat ${CA_PATH} >> ${SYSTEM_BUNDLE}`])] : []),
    ...formatVariables(CA_ENV[scheme]),
  ];
}

/** One layer with the package and all that it needs. */
function formatInstallation(target: PackageTarget, { installer }: Recipe, extra: readonly string[]): string[] {
  if (installer === undefined || target.kind === "folder") return [];
  const path = `${PACKAGE_FOLDER}/${installer.file}`;
  const { program = "" } = target;
  return [
    `COPY ${installer.file} ${path}`,
    `ARG ${BUILD_ARGUMENT}`,
    formatRun([installer.interpreter, path, PACKAGE_FOLDER, program, ...listSpecifiers(target, extra)]),
  ];
}

/** A static program. The module may ask for a newer Go than the image has, which is then fetched. */
function formatGoBuild(target: PackageTarget): string[] {
  const bin = `${PACKAGE_FOLDER}/bin`;
  const source = `${PACKAGE_FOLDER}/source`;
  return [
    ...formatVariables({ CGO_ENABLED: "0", GOTOOLCHAIN: "auto", GOBIN: bin }),
    `ARG ${BUILD_ARGUMENT}`,
    `LABEL ${STAGE_LABEL}=$${BUILD_ARGUMENT}`,
    ...(target.kind === "folder"
      ? [
          `COPY app ${source}`,
          `WORKDIR ${source}`,
          formatRun(["go", "build", "-o", `${bin}/${deriveGoProgram(target)}`, "."]),
        ]
      : [formatRun(["go", "install", ...listSpecifiers(target)])]),
  ];
}

/** The program and its first arguments; no shell reads what the user named. */
export function getEntryPoint(target: PackageTarget): string[] {
  if (target.scheme === "go") return [`${PACKAGE_FOLDER}/bin/${deriveGoProgram(target)}`];
  return ["sh", `${PACKAGE_FOLDER}/start`];
}

function formatRun(words: readonly string[]): string {
  return `RUN ${JSON.stringify(words)}`;
}

function formatVariables(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `ENV ${name}=${JSON.stringify(value)}`);
}
