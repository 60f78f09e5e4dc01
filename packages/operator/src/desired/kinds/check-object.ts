/** What is wrong with an object that the API server accepts all the same. */
import type { Proxied } from "../../contract/index.ts";
import { readSpec } from "./read-spec.ts";

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** @returns Why its objects cannot exist, with the next step. `undefined`: they can. */
export function checkName(object: Proxied): string | undefined {
  const { kind, metadata } = object;
  const { name } = metadata;
  const { maxNameLength } = readSpec(object);
  if (name.length > maxNameLength) {
    return `The name has ${name.length} characters, and its Services and pods allow ${maxNameLength}. Create the ${kind} with a shorter name, and delete this one.`;
  }
  if (!LABEL.test(name)) {
    return `The name "${name}" cannot be part of a Service's name. Create the ${kind} with a name of a-z, 0-9 and hyphens, and delete this one.`;
  }
  return undefined;
}

/** @returns Which member asks for more rights than it needs, with the next step. `undefined`: none does. */
export function findPrivilege(object: Proxied): string | undefined {
  for (const { member, gives } of readSpec(object).listPrivileges()) {
    return `${member} ${gives}, which this operator refuses. Remove it from the ${object.kind}, or ask an administrator to allow it for all of them: operator.allowPrivilegedServers=true in the chart (TOOLHIVE_ALLOW_PRIVILEGED_SERVERS=true).`;
  }
  return undefined;
}
