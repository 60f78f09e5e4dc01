/**
 * `<Ui label="servers.add" />` in a page becomes the application's own label in bold, from its file of messages, so that a
 * renamed button fails the build. Other attributes fill in the label's variables: `<Ui label="server.stop" name="github" />`.
 */
import { MESSAGES, type MessageKey } from "@toolhive/app/messages";
import type { Parent, Root, RootContent, Strong } from "mdast";
import type { MdxJsxFlowElement, MdxJsxTextElement } from "mdast-util-mdx-jsx";
import type { VFile } from "vfile";

type Ui = MdxJsxTextElement | MdxJsxFlowElement;

export default function remarkUiLabels() {
  return (tree: Root, file: VFile): void => replaceLabels(tree, file);
}

function replaceLabels(parent: Parent, file: VFile): void {
  parent.children = parent.children.map((child) => {
    if (isUi(child)) return toLabel(child, file);
    if ("children" in child) replaceLabels(child, file);
    return child;
  });
}

function isUi(node: RootContent): node is Ui {
  return (node.type === "mdxJsxTextElement" || node.type === "mdxJsxFlowElement") && node.name === "Ui";
}

function toLabel(node: Ui, file: VFile): Strong {
  const values = new Map(
    node.attributes.flatMap((each) =>
      each.type === "mdxJsxAttribute" && typeof each.value === "string" ? [[each.name, each.value] as const] : [],
    ),
  );
  const key = values.get("label") ?? "";
  if (!isKey(key)) file.fail(`The application has no label "${key}": see packages/app/src/words/labels.json.`, node);
  const text = MESSAGES[key].replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = values.get(name);
    return value ?? file.fail(`The label "${key}" needs the attribute "${name}".`, node);
  });
  return { type: "strong", children: [{ type: "text", value: text }] };
}

function isKey(key: string): key is MessageKey {
  return Object.hasOwn(MESSAGES, key);
}
