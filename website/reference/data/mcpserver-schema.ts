/** The resources of the operator as groups of fields, read from the definitions that the chart installs: the page is made from it. */
import { createCrds } from "@toolhive/operator/crd";

interface Field {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly default?: string;
  readonly meaning: string;
  /** Type of its members, by name. */
  readonly of?: string;
}

export interface FieldGroup {
  readonly name: string;
  readonly summary: string;
  /** What the API server checks of the fields together, a sentence without its end each. */
  readonly checks: readonly string[];
  readonly fields: readonly Field[];
}

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-validations"?: readonly { readonly message: string }[];
}

const capitalize = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function describeType({
  type,
  enum: words,
  minimum,
  maximum,
  items,
  additionalProperties,
  properties,
}: Schema): string {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(", ");
  if (type === "array") return items?.properties ? "list" : `list of ${describeType(items ?? {})}`;
  if (additionalProperties?.properties !== undefined) return "objects by name";
  if (additionalProperties !== undefined) return "names and texts";
  if (properties !== undefined) return "object";
  if (type === "integer") {
    if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
    return minimum === undefined ? "number" : `number from ${minimum}`;
  }
  if (type === "boolean") return "true or false";
  return type === "string" ? "text" : "object";
}

/** What the names of a group's members begin with. Those of the first kind have been linked to as they are. */
function choosePrefix(name: string): string {
  if (name === "MCPServerSpec" || name === "MCPServerStatus") return "";
  const [, kind] = /^(MCPRemoteProxy|MCPToolConfig|MCPGroup)(?:Spec|Status)$/.exec(name) ?? [];
  return kind ?? name;
}

/** A group, and after it those of its members. */
function listGroups(name: string, summary: string, schema: Schema): FieldGroup[] {
  const { properties = {}, required = [], "x-kubernetes-validations": rules = [] } = schema;
  const entries = Object.entries(properties).map(([member, field]) => {
    const inner = [field, field.items, field.additionalProperties].find((each) => each?.properties);
    // A name of its own for each, because two fields may have the same one.
    const of = inner && `${choosePrefix(name)}${capitalize(member)}`;
    return { member, field, inner, of };
  });
  const fields = entries.map(({ member, field, of }) => ({
    name: member,
    type: describeType(field),
    ...(required.includes(member) && { required: true }),
    ...(field.default !== undefined && { default: String(field.default) }),
    meaning: field.description ?? "",
    ...(of !== undefined && { of }),
  }));
  return [
    { name, summary, checks: rules.map(({ message }) => message), fields },
    ...entries.flatMap(({ field, inner, of }) => (inner && of ? listGroups(of, field.description ?? "", inner) : [])),
  ];
}

function listKind(plural: string): readonly FieldGroup[] {
  const definition = createCrds()[plural];
  if (definition === undefined) throw new Error(`there is no kind with the plural ${plural}`);
  const { kind } = definition.spec.names;
  const { spec, status } = definition.spec.versions[0].schema.openAPIV3Schema.properties;
  return [
    ...listGroups(`${kind}Spec`, "What you write under `spec`.", spec),
    ...listGroups(`${kind}Status`, "What the operator reports under `status`.", status),
  ];
}

export const MCP_SERVER = listKind("mcpservers");
export const MCP_REMOTE_PROXY = listKind("mcpremoteproxies");
export const MCP_TOOL_CONFIG = listKind("mcptoolconfigs");
export const MCP_GROUP = listKind("mcpgroups");
