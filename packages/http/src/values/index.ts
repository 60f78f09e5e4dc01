export { escapeHtml } from "./escape-html.ts";
export { formatSpan } from "./format-span.ts";
export { parseJson } from "./parse-json.ts";
export { quote } from "./quote.ts";
export { quoteWord } from "./quote-word.ts";
export { isRecord, toRecord } from "./record.ts";
export { shorten } from "./shorten.ts";
export { sortJson } from "./sort-json.ts";
