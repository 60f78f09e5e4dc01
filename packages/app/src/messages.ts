/** Every label of the application by its key: the guides print the same ones. */
export const MESSAGES = {
  "app.name": "ToolHive",
} as const satisfies Record<string, string>;

export type MessageKey = keyof typeof MESSAGES;
