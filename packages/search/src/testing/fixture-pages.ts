/**
 * Pages of a documentation site of the size and shape of ours: the routes and titles of the specification, texts of a few
 * sentences. The ranking is measured on it where the real site is not built.
 */
import { FURTHER_PAGES } from "./fixture-further-pages.ts";

export interface FixturePage {
  /** Below the documentation's segment. */
  readonly route: string;
  readonly title: string;
  readonly label?: string;
  readonly trail: readonly string[];
  readonly description: string;
  readonly sections: readonly (readonly [heading: string, ...texts: string[]])[];
}

const CLI = ["CLI guides"];
const TUTORIALS = ["Tutorials"];
const CONCEPTS = ["Concepts"];

export const FIXTURE_PAGES: readonly FixturePage[] = [
  {
    route: "/",
    title: "Introduction",
    trail: [],
    description: "What ToolHive does, which form suits you and how the parts work together.",
    sections: [
      ["What ToolHive is", "ToolHive runs MCP servers in containers and connects AI clients to them."],
      ["Choose your form", "The desktop UI, the command line and the Kubernetes operator share the same ideas."],
      ["How it works", "A client talks to a proxy; the proxy talks to the server in its container."],
      [
        "What you get",
        "Discover servers in the registry, run them isolated, keep secrets encrypted, observe with telemetry.",
      ],
    ],
  },
  {
    route: "/faq",
    title: "Frequently asked questions",
    label: "FAQ",
    trail: [],
    description: "Short answers about ToolHive, MCP servers, clients, security and use at work.",
    sections: [
      ["What is MCP?", "The Model Context Protocol lets AI applications call tools and read data in one standard way."],
      ["Is ToolHive free?", "Yes. It costs nothing and its source is open under the Apache 2.0 license."],
      ["Which container engines work?", "Docker, Podman and Rancher Desktop."],
      ["How do I get my server listed in the registry?", "Open a pull request; read the registry criteria first."],
      ["Which AI clients are supported?", "Six clients are configured automatically. Others connect by address."],
      ["What data leaves my machine?", "An update check every four hours. The UI reports errors when you allow it."],
      ["Can I use it behind a firewall or corporate proxy?", "Add your certificate authority and mirror the images."],
      ["Where are secrets kept?", "In an encrypted file; the password is in the keyring of the system."],
    ],
  },
  {
    route: "/concepts/mcp-primer",
    title: "MCP primer",
    trail: CONCEPTS,
    description: "What the Model Context Protocol is, what goes over the wire and how ToolHive fits in.",
    sections: [
      ["The problem that MCP solves", "Every assistant needed its own integration with every system."],
      ["Hosts, clients and servers", "A host application holds one client for each MCP server."],
      ["What a server offers", "Tools act, resources are read, prompts are picked by people."],
      ["Transports", "stdio, SSE and streamable HTTP. A session has an Mcp-Session-Id header."],
      ["Authorization", "OAuth 2.1 with bearer tokens protects HTTP servers."],
    ],
  },
  {
    route: "/concepts/registry-criteria",
    title: "Registry criteria",
    trail: CONCEPTS,
    description: "What a server must have to be listed in the registry, and how to submit it.",
    sections: [
      ["What a listing means", "The registry holds servers that were reviewed. It is no guarantee."],
      [
        "Required of every server",
        "Open source, signed images, provenance attestations, an SBOM, pinned dependencies.",
      ],
      ["Tiers", "Official servers come from the owner of the system, community servers from others."],
      [
        "Add your server to the registry",
        "Submit a pull request with an entry: image, transport, tools, permissions, provenance.",
      ],
      ["Accepted licenses", "Apache-2.0, MIT, BSD-2-Clause and BSD-3-Clause."],
    ],
  },
  {
    route: "/tutorials/quickstart-cli",
    title: "Quickstart: ToolHive CLI",
    label: "CLI quickstart",
    trail: TUTORIALS,
    description: "Install the command line, run your first MCP server and call it from your editor.",
    sections: [
      ["Before you begin", "You need Docker, Podman or Rancher Desktop and one supported client."],
      ["Install the CLI", "brew tap example/tap && brew install thv", "winget install thv", "Check with thv version."],
      ["Connect your client", "Run thv client setup and choose your AI client, then thv client status."],
      ["Find a server", "thv registry list shows what is there, thv registry info fetch shows one server."],
      ["Run the fetch server", "thv run fetch starts it. thv list shows its address."],
      ["Stop and remove", "thv stop fetch, then thv rm fetch."],
    ],
  },
  {
    route: "/tutorials/quickstart-ui",
    title: "Quickstart: ToolHive UI",
    label: "UI quickstart",
    trail: TUTORIALS,
    description: "Install the desktop application and run your first MCP server without a terminal.",
    sections: [
      ["Before you begin", "Docker Desktop, Podman Desktop or Rancher Desktop must be running."],
      ["Install the application", "Download the installer for macOS, Windows or Linux."],
      ["Run a server from the registry", "Open the registry page, choose fetch and install it."],
      ["Connect a client", "Turn on the switch of your client on the clients page."],
    ],
  },
  {
    route: "/tutorials/quickstart-k8s",
    title: "Quickstart: ToolHive on Kubernetes",
    label: "Kubernetes quickstart",
    trail: TUTORIALS,
    description: "Deploy the operator in a local kind cluster and run an MCP server in it.",
    sections: [
      ["Before you begin", "kind, kubectl and Helm; Docker or Podman for the cluster."],
      ["Create a cluster", "kind create cluster --name toolhive"],
      ["Install the operator", "helm upgrade --install toolhive-operator-crds, then the operator chart."],
      ["Run a server", "kubectl apply -f fetch.yaml, then kubectl get mcpservers until it is Running."],
      ["Reach it", "kubectl port-forward service/mcp-fetch-proxy 8080:8080"],
    ],
  },
  {
    route: "/guides-cli/",
    title: "CLI guides",
    label: "Overview",
    trail: CLI,
    description: "Guides for the ToolHive command line, in the order in which you need them.",
    sections: [
      ["Tasks", "Find a server, run it, read its logs, stop it, keep secrets, limit the network, connect a client."],
    ],
  },
  {
    route: "/guides-cli/install",
    title: "Install the ToolHive CLI",
    label: "Install",
    trail: CLI,
    description: "Install, verify, upgrade and uninstall the thv command on macOS, Linux and Windows.",
    sections: [
      ["Requirements", "A container engine: Docker, Podman or Rancher Desktop with the Docker engine."],
      ["Install", "brew tap example/tap; brew install thv", "winget install thv", "Or build from source with Go."],
      ["Verify", "thv version prints the version."],
      ["Shell completion", "thv completion bash, zsh, fish or powershell. Add the line to your profile."],
      ["Upgrade", "brew upgrade thv. On Windows stop all servers first."],
      ["Update check", "Once in four hours; how to turn it off."],
      ["Uninstall", "brew uninstall thv, then delete the configuration, data and state folders."],
      [
        "permission denied while connecting to the Docker socket",
        "Your user may not use /var/run/docker.sock. Add it to the docker group.",
      ],
      [
        "remove thv.exe: Access is denied",
        "On Windows a running server locks the file during an upgrade. Stop the servers.",
      ],
    ],
  },
  {
    route: "/guides-cli/api-server",
    title: "Run the API server",
    label: "API server",
    trail: CLI,
    description: "Drive ToolHive from your own programs over its local HTTP API.",
    sections: [
      ["Start the server", "thv serve listens on 127.0.0.1 port 8080. curl http://127.0.0.1:8080/api/v1beta/version"],
      ["Change the address", "thv serve --host 0.0.0.0 --port 9090"],
      ["Listen on a UNIX socket", "thv serve --socket /run/toolhive.sock"],
      ["Get the OpenAPI specification", "thv serve --openapi, then GET /api/openapi.json"],
      ["Common calls", "List workloads, create one, read its logs, list secrets, browse the registry."],
    ],
  },
  {
    route: "/guides-cli/client-configuration",
    title: "Client configuration",
    trail: CLI,
    description: "Connect editors and assistants to your MCP servers with the command line.",
    sections: [
      ["Connect clients", "thv client setup registers the AI clients that you choose; thv client status shows them."],
      ["Register one client", "thv client register cursor, thv client remove cursor"],
      ["Other clients", "Take the address from thv list and add it by hand: Visual Studio Code, Cursor, Claude Code."],
      ["From a dev container", "Use host.docker.internal in place of localhost."],
      ["The client lists no tools", "Restart the client. Check the address."],
      ["TypeError: fetch failed in VS Code", "The server is not running or listens on another port: restart it."],
    ],
  },
  {
    route: "/guides-cli/custom-permissions",
    title: "Custom permissions",
    trail: CLI,
    description: "Limit what an MCP server may read, write and reach with permission profiles and network isolation.",
    sections: [
      ["Permission profiles", "A JSON file with name, read, write and network.outbound."],
      ["Built-in profiles", "none has no network; network may reach everything."],
      [
        "Write a permission profile",
        '{"network":{"outbound":{"insecure_allow_all":false,"allow_host":["api.github.com"],"allow_port":[443]}}}',
      ],
      ["Apply a profile", "thv run --permission-profile ./profile.json fetch"],
      [
        "Network isolation",
        "thv run --isolate-network fetch restricts outbound access to the internet with an egress proxy.",
      ],
      ["Mount folders", "Read and write list paths on the host that the container may use."],
    ],
  },
  {
    route: "/guides-cli/manage-mcp-servers",
    title: "Manage MCP servers",
    trail: CLI,
    description: "See what runs, read logs, stop, restart and remove MCP servers.",
    sections: [
      [
        "List servers",
        "thv list shows running servers, thv list --all also the others, thv list --format json for scripts.",
      ],
      ["View logs", "thv logs fetch prints the newest lines of the server; thv logs fetch --follow goes on."],
      ["Clean up log files", "thv logs prune deletes files of servers that are gone."],
      ["Stop and restart", "thv stop fetch, thv restart fetch, thv restart --all"],
      ["Remove a server", "thv rm fetch deletes the container and its settings."],
      ["Statuses", "running, stopped, error, starting, stopping, unhealthy, removing, unknown"],
    ],
  },
  {
    route: "/guides-cli/registry",
    title: "Explore the registry",
    label: "Registry",
    trail: CLI,
    description: "Find MCP servers in the registry, judge them and use a registry of your own.",
    sections: [
      ["List servers", "thv registry list, or thv registry list --format json"],
      ["Search", "thv search github looks in names, descriptions and tags."],
      ["Server details", "thv registry info github shows tools, provenance, permissions, image and stars."],
      ["Use your own registry", "thv config set-registry-url https://example.com/registry.json"],
    ],
  },
  {
    route: "/guides-cli/run-mcp-servers",
    title: "Run MCP servers",
    trail: CLI,
    description: "Start MCP servers from the registry, from images and from packages, with secrets, folders and ports.",
    sections: [
      ["Run a server from the registry", "thv run fetch"],
      ["Run with secrets", "thv run --secret github,target=GITHUB_PERSONAL_ACCESS_TOKEN github"],
      ["Mount a local file or folder", "thv run --volume /home/me/data:/data:ro filesystem"],
      ["Choose the proxy port", "thv run --proxy-port 8081 fetch"],
      [
        "Run a custom MCP server",
        "From an image: thv run ghcr.io/example/server:v1. From a package: npx://, uvx:// and go://.",
      ],
      ["Transports", "thv run --transport streamable-http --target-port 8000 image; also stdio and sse."],
      ["Restrict network access", "Add a permission profile and isolate the network."],
      ["Private certificate authority", "thv run --ca-cert ./ca.pem uvx://package"],
      ["Telemetry", "thv run --otel-endpoint localhost:4318 fetch"],
    ],
  },
  {
    route: "/guides-cli/secrets-management",
    title: "Secrets management",
    trail: CLI,
    description: "Store API keys and tokens encrypted or in 1Password, and give them to MCP servers.",
    sections: [
      ["Choose a provider", "encrypted, 1Password or none"],
      ["Set up the provider", "thv secret setup asks which secrets provider to use."],
      ["Store a secret", "thv secret set github-token asks for the value."],
      ["Use a secret", "thv run --secret github-token,target=GITHUB_TOKEN github"],
      ["1Password", "Export OP_SERVICE_ACCOUNT_TOKEN and use op://vault/item/field references."],
      ["secrets provider not set up", "Run thv secret setup first."],
      [
        "Forgotten encryption password",
        "The password cannot be recovered. thv secret reset-keyring, then set up again.",
      ],
    ],
  },
  ...FURTHER_PAGES,
];
