/** A number or name from the code, so that a text cannot differ from it. An unknown name fails the build. */
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { ConstantName } from "../constants.ts";

export function Constant({ name }: { readonly name: ConstantName }) {
  const { siteConfig } = useDocusaurusContext();
  const { constants } = siteConfig.customFields as { constants: Readonly<Record<string, string>> };
  const value = constants[name];
  if (value === undefined) throw new Error(`There is no constant "${name}" in website/src/constants.ts.`);
  return value;
}
