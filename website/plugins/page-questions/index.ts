/**
 * Keeps the questions that pages answer out of the browser. The search reads them from the built HTML, so only the build needs them;
 * the framework would send the whole front matter with each page, twice.
 */
import path from "node:path";
import type { MarkdownConfig, Plugin } from "@docusaurus/types";
import { joinQuestions } from "./join-questions.ts";

type FrontMatterReader = NonNullable<MarkdownConfig["parseFrontMatter"]>;
type ParsedPage = Awaited<ReturnType<FrontMatterReader>>;

const NAME = "toolhive-page-questions";

/** By the page's file, as the framework names a page's source. */
const questions = new Map<string, string>();

/** @returns The page without its questions, which the plugin keeps. */
export function takeQuestions(filePath: string, { frontMatter, content }: ParsedPage): ParsedPage {
  const { text, rest } = joinQuestions(frontMatter);
  const source = `@site/${path.relative(path.join(__dirname, "../.."), filePath).replaceAll(path.sep, "/")}`;
  if (text !== "") questions.set(source, text);
  return { frontMatter: rest, content };
}

export default function pageQuestions(): Plugin {
  let file = "";
  return {
    name: NAME,
    async allContentLoaded({ actions }) {
      file = await actions.createData("questions.json", JSON.stringify(Object.fromEntries(questions)));
    },
    configureWebpack: (_config, isServer) => ({
      resolve: { alias: { [`${NAME}$`]: isServer ? file : path.join(__dirname, "client/no-questions.ts") } },
    }),
  };
}
