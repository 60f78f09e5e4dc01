/** Every environment variable that thv reads, in one list: help, man page and reference are made from it. */
import type { Topic } from "./topic.ts";

export interface EnvironmentVariable {
  readonly name: string;
  readonly meaning: string;
}

export const ENVIRONMENT_VARIABLES: readonly EnvironmentVariable[] = [
  {
    name: "TOOLHIVE_PODMAN_SOCKET",
    meaning: "Path of Podman's socket; the first place that is looked at, and then the only one",
  },
  { name: "TOOLHIVE_DOCKER_SOCKET", meaning: "Path of Docker's socket, when the variable for Podman is not set" },
  { name: "DOCKER_HOST", meaning: "Address of the container engine, when neither socket variable is set" },
  { name: "TOOLHIVE_SECRETS_PASSWORD", meaning: "Password of the encrypted secrets, for machines without a keyring" },
  { name: "TOOLHIVE_SECRETS_PROVIDER", meaning: "Provider of secrets, instead of the one in the settings" },
  { name: "OP_SERVICE_ACCOUNT_TOKEN", meaning: "Token of the 1Password service account" },
  { name: "TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET", meaning: "Client secret for thv proxy" },
  {
    name: "TOOLHIVE_SIGSTORE_TRUSTED_ROOT",
    meaning: "File with the trust root that images are verified with, instead of the one of their registry entry",
  },
  { name: "TOOLHIVE_NPX_BASE_IMAGE", meaning: "Image that npx:// servers are built from" },
  { name: "TOOLHIVE_UVX_BASE_IMAGE", meaning: "Image that uvx:// servers are built from" },
  { name: "TOOLHIVE_GO_BASE_IMAGE", meaning: "Image that go:// servers are built from" },
  {
    name: "TOOLHIVE_SIDECAR_BASE_IMAGE",
    meaning: "Image that network sidecars are built on, with node and nft in it",
  },
  { name: "TOOLHIVE_SIDECAR_IMAGE", meaning: "Whole image of network sidecars, when it was built elsewhere" },
  {
    name: "TOOLHIVE_SIDECAR_HOSTS",
    meaning: "Addresses that network sidecars find without DNS, as name=address, separated by commas",
  },
  { name: "XDG_CONFIG_HOME", meaning: "Folder that holds toolhive/config.yaml" },
  { name: "XDG_DATA_HOME", meaning: "Folder that holds toolhive's secrets and logs" },
  { name: "XDG_STATE_HOME", meaning: "Folder that holds toolhive's saved servers" },
  { name: "XDG_RUNTIME_DIR", meaning: "Folder in which sockets of engines without root rights are looked for" },
  { name: "NO_COLOR", meaning: "Set to anything: no colors" },
  { name: "TERM", meaning: "dumb: no colors, no moving progress, no questions" },
  { name: "CI", meaning: "Set to anything: progress as plain lines" },
];

export const ENVIRONMENT_TOPIC: Topic = {
  name: "environment",
  title: "Environment variables",
  blocks: [
    {
      kind: "text",
      text: "A flag wins over a variable, a variable over the settings, the settings over the default. The supervisor in the background keeps the variables of the command that started it; a command that is given others says so.",
    },
    { kind: "terms", terms: ENVIRONMENT_VARIABLES.map(({ name, meaning }) => [name, meaning] as const) },
  ],
};
