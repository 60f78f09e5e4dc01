/** The pages that most readers look for; shown where a search or an address led nowhere. */
import Link from "@docusaurus/Link";

const LIKELY_PAGES = [
  {
    to: "/toolhive/tutorials/quickstart-cli",
    title: "CLI quickstart",
    reason: "starts a first server from a terminal.",
  },
  { to: "/toolhive/guides-cli/run-mcp-servers", title: "Run MCP servers", reason: "shows names, ports and variables." },
  { to: "/toolhive/guides-cli/client-configuration", title: "Configure clients", reason: "connects your editor." },
  { to: "/toolhive/reference/cli/thv", title: "Command reference", reason: "has every command and exit code." },
  { to: "/toolhive/reference/errors", title: "Error catalogue", reason: "explains every error with its remedy." },
  { to: "/toolhive/faq", title: "Frequently asked questions", reason: "answers what touches more than one page." },
] as const;

export function LikelyPages() {
  return (
    <ul>
      {LIKELY_PAGES.map(({ to, title, reason }) => (
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
