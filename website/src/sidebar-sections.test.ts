/** The order of the sidebar, and one name for each guide: in the sidebar, in the breadcrumbs and as its title. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { listWrittenPages } from "../prose/pages.ts";
import { parseText } from "../prose/parse-text.ts";
import { beginsWithVerb } from "../prose/style-rules.ts";
import { GUIDES, PROJECT, type SidebarItem } from "./sidebar-sections.ts";

const DOCS = path.join(import.meta.dirname, "../docs");

type Category = Extract<SidebarItem, { type: "category" }>;

const isCategory = (item: SidebarItem): item is Category => typeof item === "object" && item.type === "category";
const listItems = ({ items }: Category) => items as readonly SidebarItem[];

/** Ids of the pages in a part of the sidebar, its landing pages among them. */
function listIds(item: SidebarItem): string[] {
  if (typeof item === "string") return [item];
  if (!isCategory(item)) return [];
  const landing = item.link?.type === "doc" ? [item.link.id] : [];
  return [...landing, ...listItems(item).flatMap(listIds)];
}

function findSection(label: string): Category {
  const section = GUIDES.filter(isCategory).find((each) => each.label === label);
  if (section === undefined) throw new Error(`The sidebar has no section ${label}.`);
  return section;
}

const readPage = (id: string) => readFileSync(path.join(DOCS, `${id}.mdx`), "utf8");

/** What a page is called at its top, and in the sidebar and the breadcrumbs. */
function readNames(id: string): { title: string; label: string } {
  const { title, sidebar_label: label = title } = parseText(readPage(id)).frontMatter as {
    title: string;
    sidebar_label?: string;
  };
  return { title, label };
}

describe("the sidebar", () => {
  test("has the guides to the CLI as groups of tasks, with the search for a server before its first run", () => {
    const groups = listItems(findSection("CLI guides")).filter(isCategory);

    expect(groups.map(({ label }) => label)).toEqual(["Run", "Connect", "Secure and operate"]);
    expect(listIds(groups[0] as SidebarItem).slice(0, 3)).toEqual([
      "toolhive/guides-cli/install",
      "toolhive/guides-cli/registry",
      "toolhive/guides-cli/run-mcp-servers",
    ]);
    expect(groups.every((group) => beginsWithVerb(group.label ?? ""))).toBe(true);
  });

  test("has pages about the project at its end, closed at first", () => {
    const project = PROJECT as Category;

    expect(project.collapsed).toBe(true);
    expect(listIds(project)).toEqual(
      expect.arrayContaining(
        ["reference/measurements", "reference/conformance", "reference/recovery", "concepts/search-at-scale"].map(
          (page) => `toolhive/${page}`,
        ),
      ),
    );
    expect(listIds(project).at(-1)).toBe("toolhive/reference/contributing");
  });

  test("has each written page once", () => {
    const ids = [...GUIDES, PROJECT].flatMap(listIds);
    const written = listWrittenPages()
      .filter(({ file, kind }) => file.startsWith("website/docs/") && kind !== "faq")
      .map(({ file }) => file.replace("website/docs/", "").replace(/\.mdx$/, ""));

    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(written.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

const guides = ["UI guides", "CLI guides", "Kubernetes guides"].flatMap((label) => {
  const section = findSection(label);
  const landing = section.link?.type === "doc" ? section.link.id : "";
  return listIds(section)
    .filter((id) => id !== landing)
    .map((id) => ({ id, landing }));
});

describe.each(guides)("$id", ({ id, landing }) => {
  const { title, label } = readNames(id);

  test("has one name: the title is the label, with no more than the form of ToolHive behind it", () => {
    const [, form] = title.split(label);

    expect(title.startsWith(label), `"${title}" and "${label}"`).toBe(true);
    expect(form === "" || /^ (?:with|in) (?:the (?:CLI|UI)|Helm|Kubernetes)$/.test(form ?? "?"), title).toBe(true);
  });

  test("asks the reader to do something, unless it is an overview", () => {
    expect(beginsWithVerb(label) || label.endsWith("overview")).toBe(true);
  });

  test("has a card of that name on the landing page of its section", () => {
    const cards = readPage(landing).matchAll(/<Card title="([^"]+)" to="([^"]+)"/g);

    expect([...cards].map(([, name, to]) => `${name} ${to}`)).toContain(`${label} /${id}`);
  });
});

/** A tutorial is called by the form of ToolHive that it is for, everywhere but at its top, where the title says what the reader gets. */
const SHORT_NAMES = [
  "toolhive/tutorials/quickstart-cli",
  "toolhive/tutorials/quickstart-ui",
  "toolhive/tutorials/quickstart-k8s",
];
const written = [...GUIDES, PROJECT].flatMap(listIds).filter((id) => existsSync(path.join(DOCS, `${id}.mdx`)));

test.each(written.filter((id) => !SHORT_NAMES.includes(id) && !id.includes("/reference/")))(
  "the label of %s is a part of its title",
  (id) => {
    const { title, label } = readNames(id);

    expect(title.toLowerCase()).toContain(label.toLowerCase());
  },
);

test("a section with a landing page is called like the page", () => {
  const sections = GUIDES.filter(isCategory).filter(({ link }) => link?.type === "doc");

  expect(sections.map(({ label }) => label)).toEqual(
    sections.map((section) => readNames(listIds(section)[0] as string).label),
  );
});

test.each(["Tutorials", "Concepts"])("the landing page of %s has a card for each of its pages", (label) => {
  const [landing = "", ...pages] = listIds(findSection(label));
  const source = readPage(landing);

  expect(pages.filter((id) => !source.includes(`to="/${id}"`))).toEqual([]);
  expect(pages.filter((id) => !existsSync(path.join(DOCS, `${id}.mdx`)))).toEqual([]);
});
