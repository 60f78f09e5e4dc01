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
      `The group and the kinds are called as in the original, so that manifests can move. Of ${outcomes.length} manifests with the members that examples for the original have, ${applied} apply to a cluster with this operator. The table is made with the forms that the chart installs, and the tests apply the same manifests to a real API server.`,
      `Check a manifest of your own on the machine where you have ${code("thv")}:`,
      fence("bash", 'norun="needs a manifest of your own"', "thv k8s import server.yaml --dry-run"),
      "## Members with another name {#other-names}",
      `The operator reads these members as what they mean. The condition ${code("CurrentNames")} is then ${code("False")} with the reason ${code("OtherNames")}, and names the member to write. It does not change ${code("Ready")}. Two names for one member with two values are refused.`,
      table(
        ["Kind", "In the manifest", "Read as"],
        [
          ...Object.entries(RENAMED_MEMBERS).flatMap(([kind, members]) =>
            members.map(({ member, current }) => [code(kind), code(`spec.${member}`), code(`spec.${current}`)]),
          ),
          ["`MCPServer`, `MCPRemoteProxy`", "`spec.groupRef: work`", "`spec.groupRef: { name: work }`"],
        ],
      ),
      `${code("spec.replicas")} of an ${code("MCPServer")} means the pods of the server here, and those of the proxy in the original's later versions. Set ${code("spec.proxyReplicas")} for the proxy.`,
      "## Members that are refused {#refused-members}",
      "The API server refuses each of them with this sentence, also when the client does not ask for strict validation.",
      table(
        ["Kind", "Member", "What to do"],
        MISSING_MEMBERS.map(({ kinds, member, instead }) => [
          kinds.map(code).join(", "),
          code(`spec.${member}`),
          text(`${instead.charAt(0).toUpperCase()}${instead.slice(1)}`),
        ]),
      ),
      "## Kinds that are missing {#missing-kinds}",
      `${code("kubectl")} says that there are no matches for the kind. ${code("toolhive.stacklok.dev/v1beta1")} is not served: write ${code("toolhive.stacklok.dev/v1alpha1")}.`,
      table(
        ["Kind", "What to do"],
        Object.entries(MISSING_KINDS).map(([kind, instead]) => [
          code(kind),
          text(`${instead.charAt(0).toUpperCase()}${instead.slice(1)}`),
        ]),
      ),
      "## Scripts that wait {#scripts}",
      `${code("kubectl wait --for=condition=Ready")} ends for every kind. The phase of an ${code("MCPServer")} that is served is ${code("Running")}, as in the original's ${code("v1alpha1")}; that of an ${code("MCPRemoteProxy")} and an ${code("MCPGroup")} is ${code("Ready")}.`,
      "## Every manifest {#all}",
      table(
        ["Manifest with", "Result", "Why"],
        outcomes.map(({ what, outcome, reasons }) => [
          text(`${what.charAt(0).toUpperCase()}${what.slice(1)}`),
          OUTCOMES[outcome],
          reasons.map(text).join("; "),
        ]),
      ),
    ),
  };
}
