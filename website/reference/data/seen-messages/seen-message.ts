/** The shape of a message of another program, and the pages that its remedy leads to. */
import type { ErrorCode } from "@toolhive/core/errors";

/** In the order of the page; each has a section of its own there when one of its messages has no code. */
export const SUBJECTS = {
  clients: "MCP clients",
  protocol: "The MCP protocol over HTTP and stdio",
  engines: "Docker, Podman and container images",
  packages: "npm, uv, pip and Go",
  network: "Certificates, names and connections",
  kubernetes: "Kubernetes and Helm",
  system: "The operating system and the keyring",
} as const;

export type Subject = keyof typeof SUBJECTS;

/** Pages with the way out: path below the documentation, with its anchor, and the text of the link. */
export const GUIDES = {
  certificate: ["guides-cli/run-mcp-servers.mdx#trust-a-certificate-of-your-company", "Trust a corporate certificate"],
  claudeDesktop: ["guides-cli/client-configuration.mdx#connect-claude-desktop", "Connect Claude Desktop"],
  clients: ["guides-cli/client-configuration.mdx#troubleshooting", "Client not connecting"],
  cluster: ["guides-k8s/run-mcp-k8s.mdx#troubleshooting", "Run MCP servers on Kubernetes"],
  engine: ["guides-cli/install.mdx#find-your-engine", "Connect to your container engine"],
  fromContainer: ["guides-cli/client-configuration.mdx#connect-from-a-container", "Connect from a container"],
  hosts: ["guides-cli/custom-permissions.mdx#let-it-reach-some-hosts-only", "Allow only some hosts"],
  images: ["guides-cli/run-mcp-servers.mdx#run-your-own-server", "Run your own server"],
  limits: ["guides-cli/run-mcp-servers.mdx#limit-what-it-takes-of-your-machine", "Set resource limits"],
  logs: ["guides-cli/manage-mcp-servers.mdx#read-the-logs", "Read the logs"],
  mounts: ["guides-cli/run-mcp-servers.mdx#mount-a-local-folder", "Mount a local folder"],
  operator: ["guides-k8s/deploy-operator-helm.mdx#troubleshooting", "Deploy the operator"],
  owners: ["guides-cli/custom-permissions.mdx#owners", "Choose who owns the files"],
  packages: ["guides-cli/run-mcp-servers.mdx#run-a-package", "Run a package from npm, PyPI or Go"],
  podman: ["guides-cli/install.mdx#enable-podman", "Use Podman without its socket"],
  remote: ["guides-cli/remote-servers.mdx#sign-in-there", "Sign in to a remote server"],
  secrets: ["guides-cli/secrets-management.mdx#choose-the-provider", "Set up a secrets provider"],
  service: ["guides-cli/api-server.mdx#run-it-as-a-service", "Run ToolHive as a service"],
  tokens: ["guides-cli/control-access.mdx#ask-callers-for-a-token", "Require a token from callers"],
  transport: ["guides-cli/run-mcp-servers.mdx#choose-the-transport", "Choose the transport"],
} as const satisfies Record<string, readonly [page: string, title: string]>;

export interface SeenMessage {
  /** As the program prints it, `…` for a value; at most 120 characters. Its backticks are left out, because pages show it as code. */
  readonly message: string;
  /** Who prints it. */
  readonly program: string;
  /** The error of ours that it comes with, whose page lists it. Without one, the failure is not ours. */
  readonly code?: ErrorCode;
  /** What happened, in one sentence. */
  readonly means: string;
  /** What to do, with this tool where it helps. */
  readonly remedy: string;
  readonly guide?: keyof typeof GUIDES;
  /** Where people reported it: `owner/repository#number`, or the address of a page of documentation. */
  readonly source: string;
}
