/** The version of a part of the product, from the build: never typed in a text. */
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";

const PARTS = { thv: "ToolHive CLI" } as const;

export function Version({ of }: { readonly of: keyof typeof PARTS }) {
  const { siteConfig } = useDocusaurusContext();
  const versions = siteConfig.customFields?.versions as Readonly<Record<keyof typeof PARTS, string>>;
  return (
    <span className="badge-version" title={PARTS[of]}>
      {versions[of]}
    </span>
  );
}
