/** Languages are loaded by the compiler of the pages (plugins/markdown/highlight-code), never in the browser. */
export default function prismIncludeLanguages(): void {}
