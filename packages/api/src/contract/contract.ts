/**
 * The contract: every operation once, with what it takes, what it answers and how it fails. Validation, handler types, the
 * typed client and the OpenAPI document are made from it.
 */
import type { Readable } from "node:stream";
import type { Static } from "typebox";
import { CALLS_OPERATIONS } from "./calls.ts";
import { CLIENTS_OPERATIONS } from "./clients.ts";
import { EVENTS_OPERATIONS } from "./events.ts";
import { GROUPS_OPERATIONS } from "./groups.ts";
import { LOGS_OPERATIONS } from "./logs.ts";
import type { Operation } from "./parts/operation.ts";
import { APP_OPERATIONS, APP_SOCKET_OPERATIONS } from "./process/app.ts";
import { SUPERVISOR_OPERATIONS } from "./process/supervisor.ts";
import { SYSTEM_OPERATIONS } from "./process/system.ts";
import { PROJECT_OPERATIONS } from "./project/project.ts";
import { SHARED_PROJECT_OPERATIONS } from "./project/shared-project.ts";
import { REGISTRY_OPERATIONS } from "./registry.ts";
import { type OperationId, ROUTES, type SOCKET_ROUTES } from "./routes.ts";
import { SECRETS_OPERATIONS } from "./secrets.ts";
import { SIGN_INS_OPERATIONS } from "./sign-ins.ts";
import { USAGE_OPERATIONS } from "./usage.ts";
import { WORKLOAD_SETTINGS_OPERATIONS } from "./workload-settings.ts";
import { WORKLOADS_OPERATIONS } from "./workloads.ts";

/** The API: for every caller, and in the OpenAPI document. */
export const OPERATIONS = {
  ...SYSTEM_OPERATIONS,
  ...WORKLOADS_OPERATIONS,
  ...WORKLOAD_SETTINGS_OPERATIONS,
  ...SIGN_INS_OPERATIONS,
  ...CALLS_OPERATIONS,
  ...EVENTS_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...LOGS_OPERATIONS,
  ...GROUPS_OPERATIONS,
  ...PROJECT_OPERATIONS,
  ...SHARED_PROJECT_OPERATIONS,
  ...CLIENTS_OPERATIONS,
  ...SECRETS_OPERATIONS,
  ...REGISTRY_OPERATIONS,
  ...APP_OPERATIONS,
} satisfies Record<keyof typeof ROUTES, Operation>;

/** What only the private socket serves. */
export const SOCKET_OPERATIONS = { ...SUPERVISOR_OPERATIONS, ...APP_SOCKET_OPERATIONS } satisfies Record<
  keyof typeof SOCKET_ROUTES,
  Operation & { audience: "socket" }
>;

type Definitions = typeof OPERATIONS & typeof SOCKET_OPERATIONS;
type Definition<Id extends OperationId> = Definitions[Id];

/** What a handler gets: parsed and checked. */
export interface OperationInput<Id extends OperationId> {
  readonly params: Static<Definition<Id>["params"]>;
  readonly query: Static<Definition<Id>["query"]>;
  readonly body: Static<NonNullable<Definition<Id>["body"]>>;
}

/** Of a stream, one line. */
export type OperationAnswer<Id extends OperationId> = Static<NonNullable<Definition<Id>["success"]["schema"]>>;

/** Operations that answer with a line of JSON for each piece of news. */
export type StreamId = {
  [Id in OperationId]: Definition<Id> extends { readonly isStream: true } ? Id : never;
}[OperationId];

interface HandlerContext {
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Whether the user's own program asks, over the private socket. */
  readonly isPrivate: boolean;
  /** The caller's `Authorization`. */
  readonly authorization: string | undefined;
}

type HandlerAnswer<Id extends OperationId> = Id extends StreamId
  ? AsyncIterable<Sent<OperationAnswer<Id>>>
  : OperationAnswer<Id> extends string
    ? string | Readable
    : Sent<OperationAnswer<Id>>;

/** What JSON makes the same text of: a member that is `undefined` is absent. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Sent<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

export type Handlers = {
  readonly [Id in OperationId]: (input: OperationInput<Id>, context: HandlerContext) => Promise<HandlerAnswer<Id>>;
};

export const OPERATION_IDS = Object.keys(ROUTES) as readonly (keyof typeof ROUTES)[];
