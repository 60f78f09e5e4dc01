/** What policies are asked. */

export type Action = "call_tool" | "get_prompt" | "read_resource";

export interface PolicyQuery {
  readonly action: Action;
  /** Of the tool or prompt, or the URI of the resource. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}
