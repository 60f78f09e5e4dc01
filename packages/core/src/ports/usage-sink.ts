/** Where an endpoint reports what clients do, without anything of what they send and receive. */

export interface UsedCall {
  /** Name of the tool, as the client calls it; absent for another kind of call. */
  readonly tool?: string | undefined;
  /** What the client calls itself; absent where it does not say. */
  readonly client?: string | undefined;
  /** Whether it ended with an error, was refused, or was never answered. */
  readonly isFailure: boolean;
  readonly ms: number;
}

/** A page of the list of tools, as a client receives it. */
export interface MeasuredTools {
  /** Each with the bytes of its definition. */
  readonly tools: readonly { readonly name: string; readonly bytes: number }[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Bytes of what the client receives in the place of the list. Default: it receives the list. */
  readonly instead?: number | undefined;
}

export interface UsageSink {
  /** A call has ended: of a tool, of a prompt, or of a resource. Never throws. */
  record(call: UsedCall): void;
  /** Never throws. */
  measure(page: MeasuredTools): void;
}
