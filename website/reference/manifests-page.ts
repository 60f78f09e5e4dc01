/** What becomes of manifests for the original's operator: a table that the operator's own checks make. */
import {
  judgeManifest,
  type ManifestOutcome,
  MISSING_KINDS,
  MISSING_MEMBERS,
  ORIGINAL_MANIFESTS,
  RENAMED_MEMBERS,
} from "@toolhive/operator/facts";
import type { GeneratedPage } from "./cli-pages.ts";
import { blocks, code, fence, LOOKED_UP, pageHead, table, text } from "./markdown.ts";

const OUTCOMES: Readonly<Record<ManifestOutcome["outcome"], string>> = {
  "as it is": "Applies",
  "other names": "Applies, with a condition",
  refused: "Refused",
};

export function manifestsPage(): GeneratedPage {
  const outcomes = ORIGINAL_MANIFESTS.map(judgeManifest);
  const applied = outcomes.filter(({ outcome }) => outcome !== "refused").length;
  return {
    path: "manifests.mdx",
    content: blocks(
      pageHead({
        title: "Manifests from elsewhere",
        description:
          "Which manifests for the original ToolHive operator apply here, which members have another name, and what to write in place of the others.",
        keywords: ["migrate", "manifest", "proxyPort", "mcpPort", "groupRef", "v1beta1", "VirtualMCPServer"],
      }),
      LOOKED_UP,
      `This operator's API group and kinds have the same names as those of the original, so you can apply many of the original's manifests. Of ${outcomes.length} manifests with members from examples for the original, ${applied} apply to a cluster with this operator. The tests apply each of them to a real API server.`,
      `To check your own manifest, run this on a machine with ${code("thv")}:`,
      fence("bash", 'norun="needs a manifest of your own"', "thv k8s import server.yaml --dry-run"),
      "## Members with another name {#other-names}",
      `The operator accepts these members under their other names. It then sets the condition ${code("CurrentNames")} to ${code("False")} with the reason ${code("OtherNames")} and the name to use instead. ${code("Ready")} does not change. If a manifest sets both names to different values, the operator refuses it.`,
      table(
        ["Kind", "In the manifest", "Read as"],
        [
          ...Object.entries(RENAMED_MEMBERS).flatMap(([kind, members]) =>
            members.map(({ member, current }) => [code(kind), code(`spec.${member}`), code(`spec.${current}`)]),
          ),
          ["`MCPServer`, `MCPRemoteProxy`", "`spec.groupRef: work`", "`spec.groupRef: { name: work }`"],
        ],
      ),
      `${code("spec.replicas")} of an ${code("MCPServer")} is the number of the server's pods here, and of the proxy's pods in later versions of the original. For the proxy, set ${code("spec.proxyReplicas")}.`,
      "## Refused members {#refused-members}",
      "The API server refuses each of these members with the sentence in the last column, even without strict validation.",
      table(
        ["Kind", "Member", "What to do"],
        MISSING_MEMBERS.map(({ kinds, member, instead }) => [
          kinds.map(code).join(", "),
          code(`spec.${member}`),
          writeAdvice(instead),
        ]),
      ),
      "## Missing kinds {#missing-kinds}",
      `For these kinds, ${code("kubectl")} reports that there are no matches. The version ${code("toolhive.stacklok.dev/v1beta1")} does not exist here: write ${code("toolhive.stacklok.dev/v1alpha1")}.`,
      table(
        ["Kind", "What to do"],
        Object.entries(MISSING_KINDS).map(([kind, instead]) => [code(kind), writeAdvice(instead)]),
      ),
      "## Scripts that wait for an object {#scripts}",
      `A script can run ${code("kubectl wait --for=condition=Ready")} for every kind. The phase of a ready ${code("MCPServer")} is ${code("Running")}, as in the original's ${code("v1alpha1")}; that of an ${code("MCPRemoteProxy")} and an ${code("MCPGroup")} is ${code("Ready")}.`,
      "## Every manifest {#all}",
      table(
        ["Manifest with", "Result", "Why"],
        outcomes.map(({ what, outcome, reasons }) => [
          text(`${what.charAt(0).toUpperCase()}${what.slice(1)}`),
          OUTCOMES[outcome],
          reasons.map(markFields).join("; "),
        ]),
      ),
    ),
  };
}

/** A sentence of the operator as MDX: its fields as code, and a capital letter at its start unless a field stands there. */
export function writeAdvice(advice: string): string {
  const [first = ""] = advice.split(" ");
  const sentence = isField(first) ? advice : `${advice.charAt(0).toUpperCase()}${advice.slice(1)}`;
  return markFields(sentence);
}

function markFields(sentence: string): string {
  const words = sentence.split(/([ ,;:])/).map((word) => (isField(word) ? code(word) : word));
  return text(words.join(""));
}

function isField(word: string): boolean {
  return word.startsWith("spec.");
}
