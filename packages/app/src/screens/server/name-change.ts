/** What a changed setting is called: as the form of settings calls it, or where the form has no field for it, as a project file does. */
import { nameSetting } from "@toolhive/core/setting-changes";
import { type MessageKey, t } from "../../words/messages.ts";

const LABELS: ReadonlyMap<string, MessageKey> = new Map<string, MessageKey>([
  ["image", "edit.image"],
  ["transport", "add.transport"],
  ["target_port", "add.port"],
  ["cmd_arguments", "add.arguments"],
  ["env_vars", "add.variables"],
  ["secrets", "add.secrets"],
  ["volumes", "add.folders"],
  ["sleep_after_seconds", "add.sleep"],
  ["oidc.issuer", "access.issuer"],
  ["oidc.audience", "access.audience"],
  ["authz_config", "access.policies"],
  ["enable_audit", "access.audit"],
]);

/**
 * @param member As in a `SettingChange`: one of several variables, secrets or folders has its name behind a dot.
 * @returns `label` for people, or `code` where there is none.
 */
export function nameChange(member: string): { readonly label: string } | { readonly code: string } {
  const dot = member.indexOf(".");
  const whole = LABELS.get(member);
  if (whole !== undefined) return { label: t(whole) };
  const first = dot < 0 ? undefined : LABELS.get(member.slice(0, dot));
  return first === undefined ? { code: nameSetting(member) } : { label: `${t(first)}: ${member.slice(dot + 1)}` };
}
