/**
 * What the application calls each member of a create request that has a field: the same at the field, in a plan and in a list of
 * changes.
 */
import { type MessageKey, t } from "./messages.ts";

export const MEMBER_LABELS = {
  image: "edit.image",
  transport: "add.transport",
  target_port: "add.port",
  cmd_arguments: "add.arguments",
  env_vars: "add.variables",
  secrets: "add.secrets",
  volumes: "add.folders",
  sleep_after_seconds: "add.sleep",
  "oidc.issuer": "access.issuer",
  "oidc.audience": "access.audience",
  authz_config: "access.policies",
  enable_audit: "access.audit",
} as const satisfies Readonly<Record<string, MessageKey>>;

type LabelledMember = keyof typeof MEMBER_LABELS;

export function nameMember(member: LabelledMember): string {
  return t(MEMBER_LABELS[member]);
}

/** Whether a field sets it. @param member A path with dots. */
export function hasLabel(member: string): member is LabelledMember {
  return Object.hasOwn(MEMBER_LABELS, member);
}
