/** Addresses that moved or that readers guess, and where they lead. Answered with a permanent redirect. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  "/toolhive/quickstart": "/toolhive/tutorials/quickstart-cli",
  "/quickstart": "/toolhive/tutorials/quickstart-cli",
  "/docs": "/toolhive/",
};
