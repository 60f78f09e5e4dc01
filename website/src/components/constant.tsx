/** A number or name from the code, so that a text cannot differ from it. An unknown name fails the build. */
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { ConstantName } from "../constants.ts";

export function Constant({ name }: { readonly name: ConstantName }) {
  const { siteConfig } = useDocusaurusContext();
  const value = (siteConfig.customFields?.constants as Readonly<Record<string, string>>)[name];
  if (value === undefined) throw new Error(`There is no constant "${name}" in website/src/constants.ts.`);
  return value;
}
