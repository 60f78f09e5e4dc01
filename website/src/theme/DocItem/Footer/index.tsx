/** The theme's foot of a page, with the version that the page describes and the way to say what is wrong on it. */
import Link from "@docusaurus/Link";
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { Version } from "@site/src/components/version.tsx";
import Footer from "@theme-original/DocItem/Footer";

/** What pages at an address describe, and what was tried of it; the first that fits counts. */
const SUBJECTS = [
  {
    at: /\/guides-ui(\/|$)|quickstart-ui$/,
    of: "thv",
    name: "ToolHive UI",
    tried: "Its labels are those of the application.",
  },
  {
    at: /\/guides-k8s(\/|$)|quickstart-k8s$|\/crd-spec(\/|$)/,
    of: "thv",
    name: "the operator of ToolHive",
    tried: "It is tested on Kubernetes 1.35.",
  },
  {
    at: /\/guides-cli\/.|quickstart-cli$/,
    of: "thv",
    name: "ToolHive CLI",
    tried: "The output of its commands was recorded with this version.",
  },
  { at: /^\/toolhive/, of: "thv", name: "ToolHive CLI", tried: "" },
] as const;

export default function FooterWithFeedback() {
  const { permalink } = useDoc().metadata;
  const subject = SUBJECTS.find(({ at }) => at.test(permalink));
  return (
    <>
      <p className="page-feedback" data-search-exclude="">
        {subject && (
          <>
            Describes {subject.name} <Version of={subject.of} />. {subject.tried}{" "}
          </>
        )}
        Wrong or missing?{" "}
        <Link className="text-link" to="/toolhive/faq#where-do-i-report-a-bug">
          Say so
        </Link>
        .
      </p>
      <Footer />
    </>
  );
}
