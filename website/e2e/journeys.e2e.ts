/** The ways readers take from the home page or the search to the page that answers them, each step in what they can see. */
import type { Page } from "@playwright/test";
import { openSearch } from "./support/search.ts";
import { expect, openPage, test } from "./support/site.ts";

type Step =
  /** A link of the page's own content, by its name. */
  | { readonly click: string | RegExp }
  /** Words for the search, and what the result to choose says. */
  | { readonly search: string; readonly choose: RegExp };

interface Journey {
  readonly reader: string;
  readonly from: string;
  readonly steps: readonly Step[];
  readonly endsAt: RegExp;
  /** What the reader came for. */
  readonly sees: string | RegExp;
}

const JOURNEYS: readonly Journey[] = [
  {
    reader: "a developer gets from home to a tool call in a terminal",
    from: "/",
    steps: [{ click: "Start your first server" }],
    endsAt: /\/tutorials\/quickstart-cli$/,
    sees: "Call a tool",
  },
  {
    reader: "somebody who prefers windows gets from home to the application in the browser",
    from: "/",
    steps: [{ click: /In the browser/ }],
    endsAt: /\/tutorials\/quickstart-ui$/,
    sees: "Add the server",
  },
  {
    reader: "a platform engineer gets from home over the quickstart to the operator's deployment",
    from: "/",
    steps: [{ click: /Kubernetes operator/ }, { click: "Deploy the operator" }],
    endsAt: /\/guides-k8s\/deploy-operator-helm$/,
    sees: "Watch only some namespaces",
  },
  {
    reader: "somebody with several servers gets from home to one URL for all of them",
    from: "/",
    steps: [{ click: /Group servers/ }],
    endsAt: /\/guides-cli\/groups$/,
    sees: "Create a group",
  },
  {
    reader: "somebody whose client shows nothing finds the causes by searching",
    from: "/",
    steps: [{ search: "client not connecting", choose: /Client not connecting/ }],
    endsAt: /\/guides-cli\/client-configuration/,
    sees: "Client not connecting",
  },
  {
    reader: "a reviewer gets from home to what a server can reach, and to the option that limits it",
    from: "/",
    steps: [{ click: "How it works" }, { click: "Limit permissions" }],
    endsAt: /\/guides-cli\/custom-permissions$/,
    sees: /Allow only some hosts/,
  },
  {
    reader: "somebody who automates gets from the API guide to the error that a request met",
    from: "/toolhive/",
    steps: [
      { click: "Use the API server" },
      { click: "error catalogue" },
      { click: "WORKLOAD_NOT_FOUND" },
      { click: "Get a workload" },
    ],
    endsAt: /\/reference\/api\/workloads#getWorkload$/,
    sees: "Get a workload",
  },
  {
    reader: "somebody behind a company's proxy finds how to trust its certificate",
    from: "/",
    steps: [{ search: "certificate", choose: /Trust a corporate certificate/ }],
    endsAt: /run-mcp-servers#trust-a-certificate-of-your-company$/,
    sees: /certificate/i,
  },
  {
    reader: "somebody behind a firewall finds the answer among the questions",
    from: "/",
    steps: [{ search: "firewall", choose: /corporate proxy or firewall/ }],
    endsAt: /\/faq#/,
    sees: "Does it work behind a corporate proxy or firewall?",
  },
  {
    reader: "somebody whose server is in no registry gets from the registry to running it",
    from: "/toolhive/guides-cli/registry",
    steps: [{ click: "Run MCP servers" }],
    endsAt: /\/guides-cli\/run-mcp-servers$/,
    sees: "Run your own server",
  },
  {
    reader: "a maintainer gets from the questions to what a listing asks for",
    from: "/",
    steps: [{ click: /Questions/ }, { click: "registry criteria" }],
    endsAt: /\/concepts\/registry-criteria$/,
    sees: "Requirements",
  },
  {
    reader: "somebody who finds no answer gets from the questions to the place for a question",
    from: "/toolhive/faq",
    steps: [{ click: "Support" }],
    endsAt: /\/reference\/support$/,
    sees: "Ask a question",
  },
  {
    reader: "somebody with a message from the terminal finds the error's page by its words",
    from: "/",
    steps: [{ search: "Workload not found", choose: /WORKLOAD_NOT_FOUND/ }],
    endsAt: /\/reference\/errors\/workload-not-found/,
    sees: "What to do",
  },
];

for (const { reader, from, steps, endsAt, sees } of JOURNEYS) {
  test(reader, async ({ page }) => {
    await openPage(page, from);
    for (const step of steps) await take(page, step);

    await expect(page).toHaveURL(endsAt);
    await expect(page.getByRole("main").getByText(sees).first()).toBeVisible();
  });
}

async function take(page: Page, step: Step): Promise<void> {
  const before = page.url();
  if ("search" in step) {
    await openSearch(page, new URL(before).pathname);
    await page.getByRole("searchbox").fill(step.search);
    await page.locator(".DocSearch-Hit a").filter({ hasText: step.choose }).first().click();
  } else {
    await page.getByRole("main").getByRole("link", { name: step.click }).first().click();
  }
  await expect(page).not.toHaveURL(before);
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

test("a program gets from llms.txt to a page as Markdown, without anything of the page around it", async ({
  request,
}) => {
  const index = await (await request.get("/llms.txt")).text();
  const address = /\((\S+quickstart-cli\.md)\)/.exec(index)?.[1] ?? "";

  const answer = await request.get(new URL(address).pathname);

  expect(answer.headers()["content-type"]).toContain("text/markdown");
  const markdown = await answer.text();
  expect(markdown).toMatch(/^# Run your first MCP server with the CLI\n/);
  expect(markdown).toContain("\nthv run --name everything mcp/everything:latest\n");
  expect(markdown).not.toMatch(/<\/?(div|span|nav|a)\b/);
});

for (const [path, words] of [
  ["/toolhive/guides-cli/registry", /Describes ToolHive CLI v\d.* was recorded with this version/],
  ["/toolhive/guides-ui/secrets-management", /Describes ToolHive UI v\d.* labels are those of the application/],
  ["/toolhive/guides-k8s", /Describes the operator of ToolHive v\d.* tested on Kubernetes 1\.35/],
] as const) {
  test(`${path} says at its foot which version it describes and what was tried of it`, async ({ page }) => {
    await page.goto(path);

    await expect(page.locator(".page-feedback")).toHaveText(words);
  });
}
