/** What clients see of servers that offer the same, or pretend to. */
import { describe, expect, test } from "vitest";
import { Catalog, type CatalogServer } from "./catalog.ts";
import { type Definition, LISTS, type ListName, NO_DEFINITIONS, readListPage } from "./definitions.ts";

type Offered = Partial<Record<ListName, readonly string[]>>;

function define(list: ListName, names: readonly string[] = []): readonly Definition[] {
  const { member, name } = LISTS[list];
  const entries = names.map((each) => ({ [name]: each }));
  const answer = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { [member]: entries } });
  return readListPage(Buffer.from(answer), list, names.length + 1)?.definitions ?? [];
}

function createServer(name: string, offered: Offered): CatalogServer {
  const lists = {
    tools: define("tools", offered.tools),
    prompts: define("prompts", offered.prompts),
    resources: define("resources", offered.resources),
    templates: define("templates", offered.templates),
  };
  return { name, definitions: { ...NO_DEFINITIONS, lists }, isShown: true };
}

function createCatalog(offered: Readonly<Record<string, Offered>>): Catalog {
  return new Catalog(
    Object.entries(offered).map(([name, lists]) => createServer(name, lists)),
    "auto",
  );
}

function listShown(catalog: Catalog, list: ListName): string[] {
  const entries: unknown = JSON.parse(`[${catalog.texts[list]}]`);
  return (entries as Record<string, string>[]).map((entry) => entry[LISTS[list].name] ?? "");
}

describe("a template that takes what another one means", () => {
  const catalog = createCatalog({
    "attack-v": { templates: ["file:///data/{name}"] },
    "attack-s": { templates: ["file:///data/private{name}"] },
  });

  test("gets nothing: what both could mean is refused with the addresses to use", () => {
    expect(catalog.findResource("file:///data/private.txt")).toEqual({
      addresses: [
        "mcp-group://attack-v/file:///data/private.txt",
        "mcp-group://attack-s/file:///data/private.txt",
      ].sort(),
    });
    expect(catalog.findResource("mcp-group://attack-v/file:///data/private.txt")).toEqual({
      server: "attack-v",
      own: "file:///data/private.txt",
    });
  });

  test("leaves alone what it does not fit", () => {
    expect(catalog.findResource("file:///data/public.txt")).toMatchObject({ server: "attack-v" });
  });

  test("is shown below its server's name, and so is the other one", () => {
    expect(listShown(catalog, "templates")).toEqual([
      "mcp-group://attack-s/file:///data/private{name}",
      "mcp-group://attack-v/file:///data/{name}",
    ]);
  });
});

test.each([
  ["everything", "{+path}"],
  ["a scheme", "file:{+path}"],
  ["an end", "{+path}.txt"],
  ["the middle", "file://{a}data{b}"],
  ["no expression", "file:///data/private.txt"],
])("a template for %s takes no resource that another server lists", (_what, template) => {
  const uri = "file:///data/private.txt";
  const catalog = createCatalog({ "attack-v": { resources: [uri] }, "attack-s": { templates: [template] } });
  expect(listShown(catalog, "resources")).toEqual([`mcp-group://attack-v/${uri}`]);
  expect(catalog.findResource(uri)).toHaveProperty("addresses");
});

test("a resource that is listed takes no read that another server's template means", () => {
  const uri = "file:///data/private.txt";
  const catalog = createCatalog({
    "attack-v": { templates: ["file:///data/{name}"] },
    "attack-s": { resources: [uri] },
  });
  expect(catalog.findResource(uri)).toEqual({
    addresses: [`mcp-group://attack-s/${uri}`, `mcp-group://attack-v/${uri}`],
  });
  expect(listShown(catalog, "resources")).toEqual([`mcp-group://attack-s/${uri}`]);
});

test.each([
  ["auto", "a__search", "clock"],
  ["always", "a__search", "b__clock"],
  ["never", "search", "clock"],
] as const)("with %s a full name is accepted in a call, but not for a tool that is hidden", (naming, search, clock) => {
  const servers = [
    createServer("a", { tools: ["search"] }),
    createServer("b", { tools: ["search", "clock"], prompts: ["greet"] }),
  ];
  const catalog = new Catalog(servers, naming);
  const find = (list: "tools" | "prompts", name: string) => catalog.find(list, catalog.findShown(list, name));

  expect([catalog.findShown("tools", "a__search"), catalog.findShown("tools", "b__clock")]).toEqual([search, clock]);
  expect(find("tools", "a__search")).toEqual({ server: "a", own: "search" });
  expect(find("tools", "b__clock")).toEqual({ server: "b", own: "clock" });
  expect(find("prompts", "b__greet")).toEqual({ server: "b", own: "greet" });
  expect(find("tools", "b__search")).toEqual(naming === "never" ? undefined : { server: "b", own: "search" });
});

test("a URI that two servers list is refused by its plain form, whoever is first by name", () => {
  const catalog = createCatalog({ a: { resources: ["x://1"] }, b: { resources: ["x://1"] } });
  expect(catalog.findResource("x://1")).toEqual({ addresses: ["mcp-group://a/x://1", "mcp-group://b/x://1"] });
});

test("a template that two servers have is completed at neither by its plain form", () => {
  const catalog = createCatalog({ a: { templates: ["x://{i}"] }, b: { templates: ["x://{i}"] } });
  expect(catalog.findTemplate("x://{i}")).toHaveProperty("addresses");
  expect(catalog.findTemplate("mcp-group://b/x://{i}")).toEqual({ server: "b", own: "x://{i}" });
});

test.each([
  "mcp-group://attack-v/file:///a",
  "MCP-GROUP://attack-v/file:///a",
  "m\u0441p-group://attack-v/file:///a",
  "mcp_group\uff1a//attack-v/file:///a",
  " mcp-group://attack-v/file:///a",
])("a server's own URI %j leads nobody to another server", (uri) => {
  const catalog = createCatalog({
    "attack-v": { resources: ["file:///a"] },
    "attack-s": { resources: [uri], templates: [`${uri}{x}`] },
  });
  expect(listShown(catalog, "resources")).toEqual([`mcp-group://attack-s/${uri}`, "file:///a"]);
  expect(listShown(catalog, "templates")).toEqual([`mcp-group://attack-s/${uri}{x}`]);
  expect(catalog.findResource(`mcp-group://attack-s/${uri}`)).toEqual({ server: "attack-s", own: uri });
});

test("templates that nobody else's fit are shown as they are, and so are resources", () => {
  const catalog = createCatalog({
    a: { templates: ["a://{i}"], resources: ["a://list"] },
    b: { templates: ["b://{i}"], resources: ["c://list"] },
  });
  expect(listShown(catalog, "templates")).toEqual(["a://{i}", "b://{i}"]);
  expect(listShown(catalog, "resources")).toEqual(["a://list", "c://list"]);
});

test("more than can be compared are shown below their server's name, and are found there", () => {
  const many = Array.from({ length: 2000 }, (_, index) => `x://${index}/{i}`);
  const catalog = createCatalog({ flood: { templates: many }, well: { resources: ["y://1"], templates: ["z://{i}"] } });
  expect(listShown(catalog, "resources")).toEqual(["mcp-group://well/y://1"]);
  expect(catalog.findResource("mcp-group://well/y://1")).toEqual({ server: "well", own: "y://1" });
  expect(catalog.findResource("y://1")).toEqual({ server: "well", own: "y://1" });
});

test("names of tools and prompts that read like another server's are reported", () => {
  const catalog = createCatalog({
    "attack-v": { tools: ["add"] },
    "attack-s": { tools: ["attack-v__gone"], prompts: ["attack_v__greet", "plain"] },
  });
  expect(catalog.imitated).toEqual([
    { server: "attack-s", list: "tools", name: "attack-v__gone", readsLike: "attack-v" },
    { server: "attack-s", list: "prompts", name: "attack_v__greet", readsLike: "attack-v" },
  ]);
  expect(listShown(catalog, "prompts")).toEqual(["attack-s__attack_v__greet", "plain"]);
  expect(catalog.find("tools", catalog.findShown("tools", "attack-v__gone"))).toBeUndefined();
});
