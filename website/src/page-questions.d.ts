/** The questions of each page by its source; empty in the browser (`plugins/page-questions`). */
declare module "toolhive-page-questions" {
  const questions: Readonly<Record<string, string>>;
  export default questions;
}
