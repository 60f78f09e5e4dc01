/**
 * The Dockerfile for a package: the package manager on a base image, a user without rights, and the package as the entry
 * point. The package itself is fetched when the container starts.
 */
import type { PackageScheme } from "../target/target.ts";
import { getEntryPoint, type PackageTarget } from "./package-target.ts";

/** User and group in the container; a number needs no entry in the image's files. */
const USER = "10001:10001";

/**
 * Where the server runs and may write. Engines give a folder that they create to the user, and leave an existing one
 * unchanged.
 */
const HOME = "/home/toolhive";

export const CA_FILE = "toolhive-ca.pem";
/** Where the certificate is in the image. */
const CA_PATH = `/etc/toolhive/${CA_FILE}`;
const SYSTEM_BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

interface Recipe {
  readonly base: string;
  /** Environment variable that names another base image, which must then contain everything. */
  readonly baseVariable: string;
  /** What the base image lacks; with a shell, as the base images have one. */
  readonly setup: readonly (readonly string[])[];
  readonly env: Readonly<Record<string, string>>;
}

const RECIPES: Readonly<Record<PackageScheme, Recipe>> = {
  npx: {
    base: "docker.io/library/node:22-alpine",
    baseVariable: "TOOLHIVE_NPX_BASE_IMAGE",
    setup: [["apk", "add", "--no-cache", "git"]],
    env: { NODE_ENV: "production", NPM_CONFIG_LOGLEVEL: "error", NPM_CONFIG_UPDATE_NOTIFIER: "false" },
  },
  uvx: {
    base: "docker.io/library/python:3.12-slim",
    baseVariable: "TOOLHIVE_UVX_BASE_IMAGE",
    setup: [["pip", "install", "--no-cache-dir", "--disable-pip-version-check", "uv"]],
    env: { PYTHONUNBUFFERED: "1", UV_NO_PROGRESS: "1" },
  },
  go: {
    base: "docker.io/library/golang:1.24-alpine",
    baseVariable: "TOOLHIVE_GO_BASE_IMAGE",
    setup: [["apk", "add", "--no-cache", "git"]],
    env: { CGO_ENABLED: "0" },
  },
};

/** Environment variables that make each package manager trust the certificate, besides the system's own bundle. */
const CA_ENV: Readonly<Record<PackageScheme, Readonly<Record<string, string>>>> = {
  npx: { NODE_EXTRA_CA_CERTS: CA_PATH },
  uvx: { SSL_CERT_FILE: SYSTEM_BUNDLE },
  go: {},
};

interface DockerfileOptions {
  /** Environment of the supervisor. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the context holds a certificate. */
  readonly hasCa: boolean;
}

/** The name of the base image that is used for a scheme. */
export function findBaseImage(scheme: PackageScheme, env: DockerfileOptions["env"]): string {
  return env[RECIPES[scheme].baseVariable] || RECIPES[scheme].base;
}

/** The environment variable of the supervisor that names another one. */
export function getBaseVariable(scheme: PackageScheme): string {
  return RECIPES[scheme].baseVariable;
}

/** The context beside it: `app/`, the folder that the server may write to, and the certificate if there is one. */
export function formatDockerfile(target: PackageTarget, { env, hasCa }: DockerfileOptions): string {
  const { scheme } = target;
  const recipe = RECIPES[scheme];
  const base = findBaseImage(scheme, env);
  const isOwnBase = base === recipe.base;
  // Node adds the certificate to its own; the others read the system's bundle only.
  const extendsBundle = hasCa && (isOwnBase || scheme !== "npx");
  const variables = { ...recipe.env, HOME, ...(hasCa && CA_ENV[scheme]) };
  return [
    `FROM ${base}`,
    ...(hasCa ? [`COPY ${CA_FILE} ${CA_PATH}`] : []),
    ...(extendsBundle ? [formatRun(["sh", "-c", `cat ${CA_PATH} >> ${SYSTEM_BUNDLE}`])] : []),
    ...(isOwnBase ? recipe.setup.map(formatRun) : []),
    ...Object.entries(variables).map(([name, value]) => `ENV ${name}=${JSON.stringify(value)}`),
    `COPY --chown=${USER} app ${HOME}`,
    `WORKDIR ${HOME}`,
    `USER ${USER}`,
    `ENTRYPOINT ${JSON.stringify(getEntryPoint(target))}`,
    "",
  ].join("\n");
}

function formatRun(words: readonly string[]): string {
  return `RUN ${JSON.stringify(words)}`;
}
