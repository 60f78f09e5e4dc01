/** The stock metadata of a page, and the questions that it and its sections answer, which the search reads. */

import Head from "@docusaurus/Head";
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import Original from "@theme-original/DocItem/Metadata";
import questions from "toolhive-page-questions";

export default function DocItemMetadata() {
  const text = questions[useDoc().metadata.source];
  return (
    <>
      <Original />
      {text !== undefined && (
        <Head>
          <meta name="docsearch:questions" content={text} />
        </Head>
      )}
    </>
  );
}
