/** Every environment variable that thv reads, in one list: help, man page and reference are made from it. */
import type { Topic } from "./topic.ts";

export interface EnvironmentVariable {
  readonly name: string;
  readonly meaning: string;
}

export const ENVIRONMENT_VARIABLES: readonly EnvironmentVariable[] = [
  {
    name: "TOOLHIVE_PODMAN_SOCKET",
    meaning: "Path of Podman's socket; if it is set, no other socket is tried",
  },
  { name: "TOOLHIVE_DOCKER_SOCKET", meaning: "Path of Docker's socket; used if TOOLHIVE_PODMAN_SOCKET is not set" },
  { name: "DOCKER_HOST", meaning: "URL of the container engine; used if neither socket variable is set" },
  { name: "DOCKER_CONTEXT", meaning: "Context of Docker whose engine is used; used if DOCKER_HOST is not set" },
  { name: "DOCKER_TLS_VERIFY", meaning: "Set to anything: TLS to the engine, with its certificate checked" },
  { name: "DOCKER_TLS", meaning: "Set to anything: TLS to the engine, without a check of its certificate" },
  { name: "DOCKER_CERT_PATH", meaning: "Folder with ca.pem, cert.pem and key.pem for TLS to the engine" },
  {
    name: "DOCKER_CONFIG",
    meaning: "Folder of Docker's settings: contexts, certificates and sign-ins at image registries",
  },
  { name: "CONTAINER_HOST", meaning: "URL of Podman; used if DOCKER_HOST is not set" },
  { name: "CONTAINER_SSHKEY", meaning: "File with the key for CONTAINER_HOST, if that begins with ssh://" },
  { name: "CONTAINER_CONNECTION", meaning: "Connection of Podman whose engine is used" },
  { name: "REGISTRY_AUTH_FILE", meaning: "File with Podman's sign-ins at image registries" },
  { name: "TOOLHIVE_SECRETS_PASSWORD", meaning: "Password of the encrypted secrets, for machines without a keyring" },
  { name: "TOOLHIVE_SECRETS_PROVIDER", meaning: "Secrets provider; overrides the one in the settings" },
  { name: "OP_SERVICE_ACCOUNT_TOKEN", meaning: "Token of the 1Password service account" },
  {
    name: "TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET",
    meaning: "OAuth client secret for thv run and thv proxy of a remote server",
  },
  {
    name: "TOOLHIVE_SIGSTORE_TRUSTED_ROOT",
    meaning: "File with the trust root to verify images with; overrides the one in the registry entry",
  },
  { name: "TOOLHIVE_NPX_BASE_IMAGE", meaning: "Image that npx:// servers are built from" },
  { name: "TOOLHIVE_UVX_BASE_IMAGE", meaning: "Image that uvx:// servers are built from" },
  { name: "TOOLHIVE_GO_BASE_IMAGE", meaning: "Image that go:// servers are built from" },
  {
    name: "TOOLHIVE_SIDECAR_BASE_IMAGE",
    meaning: "Base image of network sidecars; must contain node and nft",
  },
  { name: "TOOLHIVE_SIDECAR_IMAGE", meaning: "Complete image for network sidecars, if it was built elsewhere" },
  {
    name: "TOOLHIVE_SIDECAR_HOSTS",
    meaning: "IP addresses that network sidecars use without DNS, as name=address, separated by commas",
  },
  {
    name: "TOOLHIVE_DOCS_PACK",
    meaning: "File with the documentation for thv docs; overrides the one that came with thv",
  },
  { name: "HTTPS_PROXY", meaning: "Proxy for connections to remote servers over https://" },
  { name: "HTTP_PROXY", meaning: "Proxy for connections to remote servers over http://" },
  { name: "NO_PROXY", meaning: "Hosts, separated by commas, that are connected to without a proxy" },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "File with certificates to trust besides the usual ones, in PEM" },
  { name: "KUBECONFIG", meaning: "File with the clusters of kubectl, for thv k8s and thv operator" },
  { name: "VISUAL", meaning: "Editor that thv edit opens; if it is not set, EDITOR" },
  { name: "EDITOR", meaning: "Editor that thv edit opens if VISUAL is not set; default: vi, or notepad on Windows" },
  { name: "PAGER", meaning: "Program that shows long pages of thv docs; default: less, if it is there" },
  { name: "XDG_CONFIG_HOME", meaning: "Folder that contains toolhive/config.yaml" },
  { name: "XDG_DATA_HOME", meaning: "Folder that contains toolhive's secrets and logs" },
  { name: "XDG_STATE_HOME", meaning: "Folder that contains toolhive's saved servers" },
  { name: "XDG_RUNTIME_DIR", meaning: "Folder that is searched for the sockets of rootless engines" },
  { name: "THV_LOG_LEVEL", meaning: "How much the supervisor logs: error, warn, info or debug; default: info" },
  { name: "NO_COLOR", meaning: "Set to anything: no colors" },
  { name: "TERM", meaning: "Set to dumb: no colors, no animated progress, no prompts" },
  { name: "CI", meaning: "Set to anything: progress as plain lines" },
];

export const ENVIRONMENT_TOPIC: Topic = {
  name: "environment",
  title: "Environment variables",
  blocks: [
    {
      kind: "text",
      text: "A flag overrides a variable, a variable overrides a setting, and a setting overrides the default. The background supervisor keeps the variables of the command that started it; a command with different values tells you so.",
    },
    { kind: "terms", terms: ENVIRONMENT_VARIABLES.map(({ name, meaning }) => [name, meaning] as const) },
  ],
};
