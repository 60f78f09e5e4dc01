/** The pages that most readers look for; shown where a search or an address led nowhere. */
export const LIKELY_PAGES = [
  {
    to: "/toolhive/tutorials/quickstart-cli",
    title: "CLI quickstart",
    reason: "starts a first server from a terminal.",
  },
  { to: "/toolhive/", title: "Introduction", reason: "says what ToolHive does and how a request travels." },
  { to: "/toolhive/tutorials", title: "Tutorials", reason: "lead from nothing to a working tool call." },
] as const;
