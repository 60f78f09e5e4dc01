/** A small documentation for tests, with everything that a real one has. */
import type { SearchRecord } from "@toolhive/search/offline";
import type { DocsLibrary } from "../library/docs-library.ts";
import { openPack } from "../library/open-pack.ts";
import type { DocsContent } from "../pack/docs-content.ts";
import { encodePack } from "../pack/docs-pack.ts";
import { TEST_SITE_URL, type TestPage, toPage, toRecords } from "./test-pages.ts";

export { TEST_SITE_URL } from "./test-pages.ts";

const ROWS = Array.from({ length: 120 }, (_row, index) => `| \`--flag-${index}\` | What number ${index} is for |`);

const PAGES: readonly TestPage[] = [
  {
    path: "/toolhive/guides-cli/custom-permissions",
    description: "Limit what a server may access, and verify the limits.",
    markdown: [
      "# Limit permissions",
      "This guide shows how to limit what an MCP server can access.",
      "## Allow only some hosts",
      "`--isolate-network` lets a server reach only the hosts that its permission profile allows:",
      "```bash\n# not a heading\nthv run --isolate-network --permission-profile profile.json fetch\n```",
      "See [the defaults](https://docs.example.org/toolhive/guides-cli/custom-permissions#review-the-defaults).",
      "### Check it",
      "`thv logs NAME --proxy` shows each connection that was refused.",
      "## Review the defaults",
      "| Area | Default |\n| - | - |\n| Files | None of yours |\n| Network | Everything, unless it is isolated |",
    ].join("\n\n"),
  },
  {
    path: "/toolhive/guides-ui/network-isolation",
    description: "Isolate a server's network in the browser.",
    markdown: [
      "# Isolate the network with the UI",
      "Turn on **Isolate network** in the form.",
      "## See it",
      "The tab *Network* shows hosts.",
    ].join("\n\n"),
  },
  {
    path: "/toolhive/reference/cli/thv_run",
    description: "Run a server: the options of thv run.",
    markdown: [
      "# thv run",
      "Runs an MCP server.",
      "## Options",
      ["| Option | Meaning |", "| - | - |", ...ROWS].join("\n"),
    ].join("\n\n"),
  },
  {
    path: "/toolhive/reference/errors/port-in-use",
    description: "The port is in use.",
    markdown: [
      "# PORT_IN_USE: the port is in use",
      "Another program listens on the port.",
      "## What to do",
      "Choose another port.",
    ].join("\n\n"),
  },
  {
    path: "/toolhive/faq",
    description: "Short answers.",
    markdown: "# Questions\n\nShort answers to common questions.",
  },
];

const DEBUG_FLAG = { name: "debug", value: "", summary: "Show causes" };

export const TEST_CONTENT: DocsContent = {
  version: "v0.2.0",
  siteUrl: TEST_SITE_URL,
  pages: PAGES.map(toPage),
  commands: [
    {
      name: "thv",
      usage: "thv COMMAND [flags]",
      summary: "Runs MCP servers in containers",
      aliases: [],
      arguments: [{ name: "run", summary: "Run a server" }],
      flags: [DEBUG_FLAG],
      examples: [],
      path: "/toolhive/reference/cli/thv",
    },
    {
      name: "thv run",
      usage: "thv run SERVER [flags] [-- ARGS]",
      summary: "Run an MCP server",
      aliases: [],
      arguments: [{ name: "SERVER", summary: "A name of the registry, or an image" }],
      flags: [
        { name: "isolate-network", value: "", summary: "Reach only the hosts of the profile" },
        { name: "transport", value: "string", default: "stdio", values: ["stdio", "sse"], summary: "How it speaks" },
        DEBUG_FLAG,
      ],
      examples: [{ summary: "Run one", command: "thv run fetch" }],
      path: "/toolhive/reference/cli/thv_run",
    },
    {
      name: "thv list",
      usage: "thv list [flags]",
      summary: "List servers",
      aliases: ["thv ls"],
      arguments: [],
      flags: [DEBUG_FLAG],
      examples: [],
      path: "/toolhive/reference/cli/thv_list",
    },
  ],
  operations: [
    {
      id: "createWorkload",
      method: "POST",
      route: "/api/v1beta/workloads",
      summary: "Create a server",
      parameters: [],
      body: [
        { name: "image", type: "text", required: true, description: "What to run. Not empty." },
        { name: "limits", type: "object", required: false, description: "" },
        { name: "limits.cpus", type: "number", required: false, description: "Processors. Default: `2`." },
      ],
      responses: [{ status: "201", description: "It is created" }],
      path: "/toolhive/reference/api/workloads#createWorkload",
    },
    {
      id: "getWorkload",
      method: "GET",
      route: "/api/v1beta/workloads/{name}",
      summary: "Get a server",
      parameters: [{ name: "name", in: "path", type: "text", required: true, description: "Its name" }],
      body: [],
      responses: [{ status: "200", description: "The server" }],
      path: "/toolhive/reference/api/workloads#getWorkload",
    },
  ],
  errors: [
    {
      code: "PORT_IN_USE",
      short: "the port is in use",
      what: "Another program listens on the port.",
      why: ["Another server has the port."],
      remedies: [{ say: "Choose another port:", command: "thv run --proxy-port 8081 fetch" }],
      exit: 7,
      status: 500,
      messages: ["Port … on … is in use by another program."],
      path: "/toolhive/reference/errors/port-in-use",
    },
    {
      code: "ENGINE_UNREACHABLE",
      short: "no container engine answers",
      what: "Neither Docker nor Podman answers.",
      why: ["Docker is not running."],
      remedies: [{ say: "Start Docker." }],
      exit: 6,
      status: 500,
      messages: ["No container engine answers at …."],
      path: "/toolhive/reference/errors/engine-unreachable",
    },
  ],
  messages: [
    {
      message: "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
      program: "Docker",
      means: "Docker is not running.",
      remedy: "Start Docker Desktop.",
      code: "ENGINE_UNREACHABLE",
      path: "/toolhive/reference/errors/engine-unreachable#also-seen-as",
    },
    {
      message: "spawn npx ENOENT",
      program: "Claude Desktop",
      means: "The client cannot find npx.",
      remedy: "Run the package in a container.",
      path: "/toolhive/reference/other-programs#spawn-npx-enoent",
    },
  ],
};

/** What a build would index. */
export function listTestRecords(): SearchRecord[] {
  return PAGES.flatMap(toRecords);
}

/** @param changes For instance another version, or no records to search. */
export async function encodeTestPack(
  changes: Partial<DocsContent> & { readonly isSearchable?: boolean } = {},
): Promise<Buffer> {
  const { isSearchable = true, ...content } = changes;
  return await encodePack({ ...TEST_CONTENT, ...content }, isSearchable ? listTestRecords() : []);
}

export async function openTestLibrary(): Promise<DocsLibrary> {
  return openPack(await encodeTestPack());
}
