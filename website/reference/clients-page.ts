/** Client compatibility as a page: one table, and one entry per client that can be copied. */
import type { GeneratedPage } from "./cli-pages.ts";
import { CLIENTS, type ClientFacts, SETTINGS_FOLDERS } from "./data/clients.ts";
import { blocks, code, fence, pageHead, table } from "./markdown.ts";

export function clientsPage(): GeneratedPage {
  return {
    path: "client-compatibility.mdx",
    content: blocks(
      pageHead({
        title: "Client compatibility",
        description:
          "Six MCP clients and the servers ToolHive runs: the settings file on each system, the entry to write and who needs a restart.",
        keywords: ["vs code", "cursor", "claude code", "cline", "roo code", "mcp.json", "settings file", "entry"],
      }),
      "Any client that speaks streamable HTTP can use the servers of the ToolHive CLI. For these six, the file and the entry are known; the facts are those of ToolHive v0.1.9, July 2025.",
      table(
        ["Client", "Name in ToolHive", "Streamable HTTP", "SSE", "Restart after a change"],
        CLIENTS.map((client) => [
          `[${client.name}](#${client.wireName})`,
          code(client.wireName),
          "Yes",
          "Yes",
          client.needsRestart ? "Yes" : "No",
        ]),
      ),
      "In paths, `<settings>` is the folder for settings of the system:",
      table(
        ["System", "Folder"],
        SETTINGS_FOLDERS.map(([system, folder]) => [system, code(folder)]),
      ),
      ...CLIENTS.map((client) =>
        blocks(
          `## ${client.name} {#${client.wireName}}`,
          `File: ${code(client.file)}`,
          fence("json", "", JSON.stringify(entryOf(client), null, 2)),
          client.note,
        ),
      ),
      "## Other clients",
      "Look for a setting called *MCP servers*, *remote server* or *HTTP server*, and give it the address that `thv list` shows. [Configure clients](../guides-cli/client-configuration.mdx) takes you through it.",
    ),
  };
}

function entryOf({ keys, httpType }: ClientFacts): unknown {
  const entry = { ...(httpType === undefined ? {} : { type: httpType }), url: "http://127.0.0.1:28113/mcp" };
  return [...keys].reverse().reduce<unknown>((inner, key) => ({ [key]: inner }), { everything: entry });
}
