/** What every object of the API server has, as far as the operator reads it. */

// biome-ignore lint/suspicious/noExplicitAny: what a user writes into a pod template has any form.
export type JsonObject = { [name: string]: any };

export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
}

/** An object of one kind, with its specification and its status. */
export interface TypedObject<Kind extends string, Spec, Status> {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
}
