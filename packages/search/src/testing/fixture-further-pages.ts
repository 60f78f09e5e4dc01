/** The rest of the fixture site's pages: guides of the application and of Kubernetes, and the reference. */
import type { FixturePage } from "./fixture-pages.ts";

const UI = ["UI guides"];
const K8S = ["Kubernetes guides"];
const REFERENCE = ["Reference"];
const API = ["Reference", "API reference"];

export const FURTHER_PAGES: readonly FixturePage[] = [
  {
    route: "/guides-ui/",
    title: "UI guides",
    label: "Overview",
    trail: UI,
    description: "Guides for the ToolHive desktop application.",
    sections: [["Tasks", "Install, run servers, keep secrets, connect clients, isolate the network."]],
  },
  {
    route: "/guides-ui/install",
    title: "Install ToolHive UI",
    label: "Install",
    trail: UI,
    description: "Install, upgrade and uninstall the desktop application on macOS, Windows and Linux.",
    sections: [
      ["Requirements", "Docker Desktop, Podman Desktop or Rancher Desktop."],
      ["Install", "Download the installer and open it."],
      ["Telemetry and error reports", "Error reporting can be switched off in the settings."],
      ["Uninstall", "Remove the application and its folders."],
      ["Connection refused", "The container engine is not running. Start Docker or Podman and retry."],
    ],
  },
  {
    route: "/guides-ui/client-configuration",
    title: "Client configuration",
    trail: UI,
    description: "Connect AI clients to your MCP servers in the desktop application.",
    sections: [
      ["Turn a client on", "Open the clients page and switch on Cursor, Claude Code or Visual Studio Code."],
      ["Other clients", "Copy the address from the server's card."],
    ],
  },
  {
    route: "/guides-ui/network-isolation",
    title: "Network isolation",
    trail: UI,
    description: "Limit which hosts and ports an MCP server may reach from the desktop application.",
    sections: [
      ["Turn isolation on", "Choose the network isolation tab and list allowed hosts and ports."],
      ["How it works", "An egress proxy checks every request to the internet."],
      ["Verify", "A blocked host answers 403."],
    ],
  },
  {
    route: "/guides-ui/run-mcp-servers",
    title: "Run MCP servers",
    trail: UI,
    description: "Start MCP servers from the registry and custom ones in the desktop application.",
    sections: [
      ["From the registry", "Pick a server, fill in its variables and secrets, install."],
      ["Run a custom MCP server", "Choose a Docker image or a package manager and the transport."],
      ["Mount a folder", "Add a storage volume."],
      ["Read the logs", "Open the menu of the card and choose logs."],
    ],
  },
  {
    route: "/guides-ui/secrets-management",
    title: "Secrets management",
    trail: UI,
    description: "Keep API keys and tokens of your MCP servers encrypted in the desktop application.",
    sections: [
      ["Add a secret", "Open the secrets page and give it a name and a value."],
      ["Use a secret", "Choose it while you install a server."],
      ["1Password", "The application uses its own encrypted store."],
    ],
  },
  {
    route: "/guides-k8s/",
    title: "Kubernetes guides",
    label: "Overview",
    trail: K8S,
    description: "Guides for the ToolHive operator, which runs MCP servers in a Kubernetes cluster.",
    sections: [["Tasks", "Deploy the operator with Helm, run servers, watch them."]],
  },
  {
    route: "/guides-k8s/intro",
    title: "Kubernetes operator overview",
    label: "Introduction",
    trail: K8S,
    description: "What the ToolHive operator does in a Kubernetes cluster and which resources it makes.",
    sections: [
      ["Resources", "An MCPServer becomes a proxy Deployment, a Service and a StatefulSet."],
      ["Limits", "Experimental, alpha API."],
    ],
  },
  {
    route: "/guides-k8s/deploy-operator-helm",
    title: "Deploy the operator with Helm",
    label: "Deploy with Helm",
    trail: K8S,
    description: "Install, configure, upgrade and uninstall the Kubernetes operator and its CRDs with Helm charts.",
    sections: [
      ["Install the CRDs", "helm upgrade --install toolhive-operator-crds oci://example/crds"],
      ["Install the operator", "helm upgrade --install toolhive-operator oci://example/operator"],
      ["Scope", "operator.rbac.scope: namespace with operator.rbac.allowedNamespaces"],
      ["CrashLoopBackOff", "kubectl logs of the operator pod tells why it restarts."],
      ["ImagePullBackOff", "The cluster cannot pull the image: log in to the image registry."],
    ],
  },
  {
    route: "/guides-k8s/run-mcp-k8s",
    title: "Run MCP servers in Kubernetes",
    trail: K8S,
    description: "Create MCPServer resources with secrets, volumes and pod templates.",
    sections: [
      ["Create a server", "kubectl apply -f server.yaml; kubectl get mcpservers; kubectl describe mcpserver fetch"],
      ["Secrets", "secrets lists name, key and targetEnvName of a Kubernetes Secret."],
      ["Mount a volume", "podTemplateSpec with a container called mcp and its volumeMounts."],
      ["Permission profile", "permissionProfile: type builtin, name network"],
    ],
  },
  {
    route: "/reference/client-compatibility",
    title: "Client compatibility",
    trail: REFERENCE,
    description: "Which AI clients work with ToolHive and how each one is configured.",
    sections: [
      ["Supported clients", "Claude Code, Cline, Cursor, Roo Code, Visual Studio Code, VS Code Insiders"],
      ["Cursor", "~/.cursor/mcp.json, key mcpServers"],
      ["Claude Code", "~/.claude.json, key mcpServers. It connects over streamable HTTP and SSE."],
      ["Other clients", "Clients that speak only stdio need a bridge."],
    ],
  },
  {
    route: "/reference/crd-spec",
    title: "Reference of the Kubernetes resources",
    label: "Kubernetes resources",
    trail: REFERENCE,
    description: "The kinds of the Kubernetes operator, with a page of fields for each.",
    sections: [
      ["Unknown fields", "The API server refuses a field that it does not know."],
      ["MCPServer", "An MCP server that runs on the cluster."],
    ],
  },
  {
    route: "/reference/crd-spec/mcpserver",
    title: "MCPServer reference",
    label: "MCPServer",
    trail: REFERENCE,
    description: "All fields of the MCPServer custom resource of the Kubernetes operator.",
    sections: [
      [
        "MCPServerSpec",
        "image, transport, port, args, env, secrets, volumes, resources, permissionProfile, podTemplateSpec, oidcConfig",
      ],
      ["MCPServerStatus", "phase, url, conditions"],
      ["OutboundNetworkPermissions", "insecureAllowAll, allowHost, allowPort"],
    ],
  },
  {
    route: "/reference/api",
    title: "API reference",
    trail: REFERENCE,
    description: "Every operation of the local HTTP API of ToolHive, from its OpenAPI specification, by resource.",
    sections: [
      ["Common to all operations", "The API listens only on this machine. Errors are problem documents."],
      ["GET /api/openapi.json", "This document."],
    ],
  },
  {
    route: "/reference/api/workloads",
    title: "Workloads API",
    trail: API,
    description: "Operations of the API that create, list and delete workloads.",
    sections: [
      ["GET /api/v1beta/workloads", "List workloads. Query: all."],
      ["POST /api/v1beta/workloads", "Create a workload: its fields are those of a workload request."],
      ["GET /api/v1beta/workloads/{name}/logs", "At most 100 lines of logs."],
    ],
  },
  {
    route: "/reference/api/workload-request",
    title: "Fields of a workload request",
    trail: API,
    description: "Every field of the JSON that creates a workload.",
    sections: [
      ["CreateWorkloadRequest", "name, image, env_vars, secrets, permission_profile"],
      ["OutboundNetwork", "insecure_allow_all, allow_host, allow_port"],
    ],
  },
  {
    route: "/reference/api/secrets",
    title: "Secrets API",
    trail: API,
    description: "Operations of the API that list and store secrets.",
    sections: [
      ["GET /api/v1beta/secrets/default/keys", "List secrets: the keys in the default provider."],
      ["POST /api/v1beta/secrets/default/keys", "Create a secret with key and value."],
    ],
  },
  {
    route: "/reference/api/registry",
    title: "Registry API",
    trail: API,
    description: "Operations of the API that list registries and their servers.",
    sections: [["GET /api/v1beta/registry", "List registries."]],
  },
  {
    route: "/reference/api/system",
    title: "System API",
    trail: API,
    description: "Operations of the API for its health and its version.",
    sections: [["GET /api/v1beta/version", "The version of the program."]],
  },
];
