/** The stock metadata of a page, and the questions that it answers, which the search reads. */

import Head from "@docusaurus/Head";
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import Original from "@theme-original/DocItem/Metadata";

export default function DocItemMetadata() {
  const { questions } = useDoc().frontMatter as { readonly questions?: readonly string[] };
  return (
    <>
      <Original />
      {questions !== undefined && (
        <Head>
          <meta name="docsearch:questions" content={questions.join(" ")} />
        </Head>
      )}
    </>
  );
}
