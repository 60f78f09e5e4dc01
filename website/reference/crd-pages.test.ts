import { describe, expect, test } from "vitest";
import { CRD_PAGES, crdPages } from "./crd-pages.ts";
import { MCP_GROUP, MCP_REMOTE_PROXY, MCP_SERVER, MCP_TOOL_CONFIG } from "./data/mcpserver-schema.ts";

const [index = { path: "", content: "" }, ...kinds] = crdPages();
const groups = [MCP_SERVER, MCP_REMOTE_PROXY, MCP_GROUP, MCP_TOOL_CONFIG].flat();

describe("the pages of the kinds", () => {
  test("are those of the sidebar, and the index links each", () => {
    expect(kinds.map(({ path }) => path)).toEqual(CRD_PAGES.map((page) => `${page}.mdx`));
    for (const page of CRD_PAGES) expect(index.content).toContain(`](./${page}.mdx)`);
  });

  test("link to headings that are there", () => {
    for (const { path, content } of kinds) {
      for (const [, file, anchor] of content.matchAll(/\]\((?:\.\/([\w-]+\.mdx))?#([\w-]+)\)/g)) {
        const target = file === undefined ? path : `crd-spec/${file}`;
        expect(kinds.find((kind) => kind.path === target)?.content, `${path} to ${target}`).toContain(`{#${anchor}}`);
      }
    }
  });

  test("describe fields that several kinds share once, and name the kinds", () => {
    const [server, proxy] = kinds;

    expect(proxy?.content).toContain("| `authzConfig` | object of [AuthzConfig](./mcpserver.mdx#authzconfig) |");
    expect(proxy?.content).not.toContain("{#mcpremoteproxyauthzconfig}");
    expect(server?.content).toContain(
      "Used by [`MCPServerSpec.authzConfig`](#mcpserverspec), [`MCPRemoteProxy`](./mcpremoteproxy.mdx), [`MCPGroup`](./mcpgroup.mdx).",
    );
  });
});

describe("an anchor that the reference had when it was one page", () => {
  const links = new Map(
    [...index.content.matchAll(/<span id="([\w-]+)">\[\w+\]\(\.\/(crd-spec\/\w+\.mdx)#([\w-]+)\)<\/span>/g)].map(
      ([, id = "", path, anchor]) => [id, { path, anchor }],
    ),
  );

  test.each(groups.map(({ name }) => name))("of %s leads to its fields", (name) => {
    const { path, anchor } = links.get(name.toLowerCase()) ?? {};

    expect(kinds.find((page) => page.path === path)?.content).toContain(`{#${anchor}}`);
  });

  test.each(["MCPServer", "MCPRemoteProxy", "MCPGroup", "MCPToolConfig"])("of %s stays on the index", (kind) => {
    expect(index.content).toContain(`## ${kind} {#${kind.toLowerCase()}}`);
  });
});
