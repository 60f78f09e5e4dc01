/** The stock metadata of a page, and the questions that it and its sections answer, which the search reads. */

import Head from "@docusaurus/Head";
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import Original from "@theme-original/DocItem/Metadata";

interface QuestionsFrontMatter {
  readonly questions?: readonly string[];
  /** By the section's anchor. */
  readonly sectionQuestions?: Readonly<Record<string, readonly string[]>>;
}

export default function DocItemMetadata() {
  const { questions = [], sectionQuestions = {} } = useDoc().frontMatter as QuestionsFrontMatter;
  const ofSections = Object.entries(sectionQuestions).map(([anchor, asked]) => `#${anchor} ${asked.join(" ")}`);
  const texts = [...questions, ...ofSections];
  return (
    <>
      <Original />
      {texts.length > 0 && (
        <Head>
          <meta name="docsearch:questions" content={texts.join(" ")} />
        </Head>
      )}
    </>
  );
}
