/** Types of `without-doc-list.mjs`, for its test. */
export default function withoutDocList(source: string): string;
