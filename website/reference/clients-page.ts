/** Client compatibility as a page, from the definitions by which the tool edits clients' settings. */
import { CLIENTS } from "@toolhive/core";
import { stringify } from "yaml";
import type { GeneratedPage } from "./cli-pages.ts";
import { blocks, code, fence, pageHead, table } from "./markdown.ts";

type Client = (typeof CLIENTS)[number];

const SYSTEMS = [
  ["Linux", "linux"],
  ["macOS", "darwin"],
  ["Windows", "win32"],
] as const;

const SERVER = {
  name: "everything",
  url: "http://127.0.0.1:28113/mcp",
  transport: "streamable-http",
  bridge: ["/usr/local/bin/thv", "proxy", "stdio", "everything"],
} as const;

export function clientsPage(): GeneratedPage {
  return {
    path: "client-compatibility.mdx",
    sectionQuestions: Object.fromEntries(
      CLIENTS.map(({ id, name }) => [id, [`Which file and which JSON does ${name} read?`]]),
    ),
    content: blocks(
      pageHead({
        title: "Client compatibility",
        description:
          "The MCP clients that the ToolHive CLI configures: the settings file on each system and the entry that it writes.",
        keywords: ["settings file", "entry", "mcp.json", ...CLIENTS.map(({ name }) => name.toLowerCase())],
      }),
      `Which AI clients are supported? The ToolHive CLI can configure ${CLIENTS.length} clients. Any other client that speaks streamable HTTP can use them, too.`,
      "## Connect a client",
      "This command asks which clients on your machine should use your servers. From then on, `thv` adds an entry when a server starts and removes it when the server stops:",
      fence("bash", 'norun="Asks questions, and changes the settings of your own clients"', "thv client setup"),
      "[Connect clients](../guides-cli/client-configuration.mdx) shows how to do this in a script, how to undo it, and what to do if a client does not connect.",
      "## Supported AI clients",
      table(
        ["Client", "Name in ToolHive", "Streamable HTTP", "SSE"],
        CLIENTS.map((client) => [
          `[${client.name}](#${client.id})`,
          code(client.id),
          accepts(client, "streamable-http"),
          accepts(client, "sse"),
        ]),
      ),
      ...CLIENTS.map(clientBlock),
      "## Other clients",
      "Look for a setting called *MCP servers*, *remote server* or *HTTP server*, and enter the URL that `thv list` shows.",
    ),
  };
}

function accepts(client: Client, transport: "sse" | "streamable-http"): string {
  return client.entry({ ...SERVER, transport }) === undefined ? "No" : "Yes";
}

function clientBlock(client: Client): string {
  const file = client.files[0];
  const entry = client.entry(SERVER);
  return blocks(
    `## ${client.name} {#${client.id}}`,
    table(
      ["System", "Settings file, below your home folder"],
      SYSTEMS.map(([system, platform]) => [
        system,
        client.files.map(({ path }) => code(path({ home: "", platform }))).join(" or "),
      ]),
    ),
    client.files.some(({ isFormer }) => isFormer)
      ? "The last file in each row is from older versions: `thv` uses it only while it has servers and the other file is not there."
      : "",
    file === undefined || entry === undefined
      ? undefined
      : fence(file.format, "", writeEntry(file.format, file.servers, entry)),
  );
}

function writeEntry(format: "json" | "toml" | "yaml", servers: readonly string[], entry: object): string {
  if (format === "toml") {
    const lines = Object.entries(entry).map(([member, value]) => `${member} = ${JSON.stringify(value)}`);
    return [`[${[...servers, SERVER.name].join(".")}]`, ...lines].join("\n");
  }
  const whole = [...servers, SERVER.name].reduceRight<object>((inner, member) => ({ [member]: inner }), entry);
  return format === "yaml" ? stringify(whole).trimEnd() : JSON.stringify(whole, null, 2);
}
