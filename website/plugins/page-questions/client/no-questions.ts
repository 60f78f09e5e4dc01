/** In the place of the questions in the browser, which has no use for them. */
const NO_QUESTIONS: Readonly<Record<string, string>> = {};
export default NO_QUESTIONS;
