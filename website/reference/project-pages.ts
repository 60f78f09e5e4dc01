/** The project's own texts as pages: what changed, and how to help. They are written for the repository and read here, too. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { GeneratedPage } from "./cli-pages.ts";
import { blocks, LOOKED_UP, type PageHead, pageHead } from "./markdown.ts";

interface ProjectText {
  readonly file: string;
  readonly path: string;
  readonly head: PageHead;
}

const TEXTS: readonly ProjectText[] = [
  {
    file: "CHANGELOG.md",
    path: "changelog.mdx",
    head: {
      title: "Changelog",
      description:
        "What was added, changed and fixed in each version of ToolHive in TypeScript, and what is not there yet.",
      keywords: ["release notes", "versions", "what is new", "history"],
    },
  },
  {
    file: "SUPPORT.md",
    path: "support.mdx",
    head: {
      title: "Support",
      description:
        "Where to ask a question about ToolHive in TypeScript, report a bug or a gap in these pages, and what to try first.",
      keywords: ["help", "question", "contact", "issue", "bug report", "community"],
    },
  },
  {
    file: "CONTRIBUTING.md",
    path: "contributing.mdx",
    head: {
      title: "Contributing",
      description:
        "How to run the project, where to change what, and the rules that changes to ToolHive in TypeScript follow.",
      keywords: ["develop", "build", "test", "pull request", "repository"],
    },
  },
];

/** @param root Folder of the repository. */
export function projectPages(root: string): GeneratedPage[] {
  return TEXTS.map(({ file, path: page, head }) => ({
    path: page,
    content: blocks(pageHead(head), LOOKED_UP, toPage(readFileSync(path.join(root, file), "utf8"))),
  }));
}

/** Without its title, which the page has already; links within the repository lead nowhere from here, so their words stay. */
export function toPage(source: string): string {
  return source
    .replace(/^# .*\n/, "")
    .replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, "$1")
    .replaceAll(/`[^`\n]*`|[{}]|<(?=\w)/g, (match) => (match.length > 1 ? match : `\\${match}`));
}
