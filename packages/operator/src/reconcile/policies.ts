/** The policies of an MCPServer, MCPRemoteProxy or MCPGroup, checked before its proxy reads them: one that cannot read them does not start. */
import { readAuthzConfig } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import type { JsonObject, Proxied } from "../contract/index.ts";
import { buildPoliciesDocument, type ReferenceProblem } from "../desired/index.ts";

const NEXT =
  "Correct it; until then the proxy goes on with the policies that it has, and none is started without them.";
/** Characters of a parser's words that are passed on. */
const MAX_WORDS = 600;

/** @param configMap The one that it names, as it was read. */
export async function findPolicyProblem(
  { spec: { authzConfig } }: Proxied,
  configMap: JsonObject | undefined,
): Promise<ReferenceProblem | undefined> {
  if (authzConfig?.type === "inline") {
    const problem = authzConfig.inline && (await checkDocument(buildPoliciesDocument(authzConfig.inline)));
    return problem === undefined
      ? undefined
      : {
          reason: "PoliciesInvalid",
          about: "policies",
          message: `spec.authzConfig.inline cannot be used: ${problem} ${NEXT}`,
        };
  }
  const { name, key = "authz.json" } = authzConfig?.configMap ?? {};
  const { data = {} } = configMap ?? {};
  const text: string | undefined = Object.hasOwn(data ?? {}, key) ? data[key] : undefined;
  if (text === undefined) return undefined;
  const problem = await checkDocument(text);
  return problem === undefined
    ? undefined
    : {
        reason: "ConfigMapInvalid",
        about: "policies",
        message: `The key "${key}" of the ConfigMap "${name}" cannot be used: ${problem} ${NEXT}`,
      };
}

async function checkDocument(text: string): Promise<string | undefined> {
  // Anything else would be read as the path of a file.
  if (!text.trimStart().startsWith("{")) return "it is not a JSON object.";
  try {
    const config = await readAuthzConfig(text);
    const cedar = await import("@toolhive/proxy/policies");
    return cedar.findPolicyProblem(config)?.slice(0, MAX_WORDS);
  } catch (error) {
    return describeError(error).slice(0, MAX_WORDS);
  }
}
