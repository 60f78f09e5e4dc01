/** The page of failures that are not ours: the messages of other programs, each with its way out. */
import type { GeneratedPage } from "./cli-pages.ts";
import { blocks, code, LOOKED_UP, pageHead, text } from "./markdown.ts";
import { GUIDES, SEEN_MESSAGES, SEEN_SUBJECTS, type SeenMessage } from "./seen-messages.ts";

const SEEN_MESSAGES_PATH = "other-programs.mdx";

export function seenMessagesPage(): GeneratedPage {
  return {
    path: SEEN_MESSAGES_PATH,
    content: blocks(
      pageHead({
        title: "Errors of other programs",
        description:
          "Messages of MCP clients, Docker, Podman, npm, uv, Kubernetes and Helm around MCP servers: what each means, and what to do.",
        keywords: ["error", "message", "troubleshooting", "mcp error", "client", "docker", "npm", "uv", "kubernetes"],
        tocDepth: 2,
      }),
      // Who searches for a task wants its guide first; who has the message finds it by its words.
      LOOKED_UP,
      "These messages come from other programs around an MCP server, and are not errors of ToolHive. `…` stands for a value. A message that comes with an error of ToolHive is on [that error's page](./errors.mdx), below *Also seen as*.",
      ...SEEN_SUBJECTS.flatMap(subjectSection),
    ),
  };
}

/** The messages of an error, for its page. */
export function messagesOfCode(errorCode: string): readonly SeenMessage[] {
  return SEEN_MESSAGES.filter((message) => message.code === errorCode);
}

/** @param toDocs The way from the page to the folder of the documentation, with its slash at the end. */
export function showRemedy({ remedy, guide }: SeenMessage, toDocs: string): string {
  if (guide === undefined) return text(remedy);
  const { page, title } = GUIDES[guide];
  return `${text(remedy)} See [${title}](${toDocs}${page}).`;
}

function subjectSection(subject: (typeof SEEN_SUBJECTS)[number]): string[] {
  const messages = subject.messages.filter((message) => message.code === undefined);
  if (messages.length === 0) return [];
  return [
    `## ${subject.title}`,
    ...messages.map((message) =>
      blocks(
        `### ${code(message.message)}`,
        `*${text(message.program)}.* ${text(message.means)} ${showRemedy(message, "../")}`,
      ),
    ),
  ];
}
