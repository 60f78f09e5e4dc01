/** Whether a value that was parsed from JSON or YAML is an object: neither `null` nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value itself when it is an object, for readers of answers in which every member is optional; otherwise `{}`. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
