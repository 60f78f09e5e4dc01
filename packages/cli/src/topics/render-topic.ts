/** A topic as text for a terminal. */
import { ThvError } from "@toolhive/core/errors";
import { termRows, wrap } from "../terminal/wrap.ts";
import { TOPICS } from "./index.ts";
import type { TopicBlock } from "./topic.ts";

/** @param width Columns. @throws {ThvError} `USAGE` for a topic without a text. */
export function renderTopic(name: string, width: number): string {
  const topic = TOPICS.find((candidate) => candidate.name === name);
  if (!topic) throw new ThvError("USAGE", `There is no topic "${name}".`, { hint: "See the topics: thv help" });
  return `${[wrap(topic.title, width), ...topic.blocks.map((block) => renderBlock(block, width))].join("\n\n")}\n`;
}

function renderBlock(block: TopicBlock, width: number): string {
  switch (block.kind) {
    case "heading":
      return `${block.text}:`;
    case "text":
      return wrap(block.text, width);
    case "terms":
      return termRows(block.terms, width).join("\n");
    case "commands":
      return block.commands.map(([what, command]) => `${wrap(what, width, "  # ", "  # ")}\n  ${command}`).join("\n");
  }
}
