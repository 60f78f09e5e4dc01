/** A generated page has one name: in the sidebar, in the breadcrumbs, which have the sidebar's labels, and as its title. */
import path from "node:path";
import { openApiDocument } from "@toolhive/api";
import { expect, test } from "vitest";
import { parseText } from "../prose/parse-text.ts";
import { makeReference, type SidebarItem } from "../src/sidebar-sections.ts";
import { apiPages } from "./api-pages.ts";
import { cliPages } from "./cli-pages.ts";
import { crdPages } from "./crd-pages.ts";
import { errorPages } from "./errors-page.ts";
import { manifestsPage } from "./manifests-page.ts";
import type { OpenApi } from "./openapi-types.ts";

const pages = [
  ...apiPages(openApiDocument("v1") as unknown as OpenApi),
  ...crdPages(),
  manifestsPage(),
  ...errorPages(path.join(import.meta.dirname, "../..")),
  ...cliPages(),
].map(({ path: file, content }) => {
  const { title, sidebar_label: label = title } = parseText(content).frontMatter as {
    title: string;
    sidebar_label?: string;
  };
  return { id: `toolhive/reference/${file.replace(/\.mdx$/, "")}`, title, label };
});

test.each(pages)("the label of $id is a part of its title", ({ title, label }) => {
  expect(title.toLowerCase()).toContain(label.toLowerCase());
});

test("a part of the reference is called like its first page", () => {
  const reference = makeReference({ commands: [], apiPages: [], errorPages: [], resourcePages: [] });
  const parts = (reference as { items: readonly SidebarItem[] }).items.flatMap((item) =>
    typeof item === "object" && item.type === "category" && item.link?.type === "doc" ? [item] : [],
  );

  expect(parts.map(({ label }) => label)).toEqual(
    parts.map(({ link }) => pages.find(({ id }) => link?.type === "doc" && id === link.id)?.label),
  );
});
