/** The pages that most readers want; shown where a search or an address led nowhere. */
import Link from "@docusaurus/Link";

const POPULAR_PAGES = [
  {
    to: "/toolhive/tutorials/quickstart-cli",
    title: "CLI quickstart",
    reason: "shows how to start your first server from a terminal.",
  },
  {
    to: "/toolhive/guides-cli/run-mcp-servers",
    title: "Run MCP servers",
    reason: "covers names, ports and variables.",
  },
  {
    to: "/toolhive/guides-cli/client-configuration",
    title: "Connect clients",
    reason: "shows how to connect your editor.",
  },
  { to: "/toolhive/reference/cli/thv", title: "Command reference", reason: "lists every command and exit code." },
  { to: "/toolhive/reference/errors", title: "Error catalogue", reason: "explains every error and how to fix it." },
  { to: "/toolhive/faq", title: "Frequently asked questions", reason: "answers common questions." },
] as const;

export function PopularPages() {
  return (
    <ul>
      {POPULAR_PAGES.map(({ to, title, reason }) => (
        <li key={to}>
          <Link className="text-link" to={to}>
            {title}
          </Link>{" "}
          {reason}
        </li>
      ))}
    </ul>
  );
}
