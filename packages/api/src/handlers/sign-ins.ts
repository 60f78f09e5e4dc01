/** What the operations on sign-ins do. */
import { assertWorkloadName, type RemoteSignIns, type SignInStatus, type WorkloadSupervisor } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { Handlers, OperationAnswer } from "../contract/contract.ts";
import type { SIGN_INS_OPERATIONS } from "../contract/sign-ins.ts";

export type SignInControl = Pick<RemoteSignIns, "describe" | "list" | "begin" | "signOut">;

type Offer = NonNullable<SignInStatus["progress"]>["offer"];

export function signInsHandlers(
  workloads: Pick<WorkloadSupervisor, "describe" | "list">,
  signIns: SignInControl,
): Pick<Handlers, keyof typeof SIGN_INS_OPERATIONS> {
  /** @throws {ThvError} `INVALID_WORKLOAD_NAME`, `WORKLOAD_NOT_FOUND`. */
  const assertWorkload = (name: string): void => {
    assertWorkloadName(name);
    workloads.describe(name);
  };
  /** A server that has never answered has not asked for a sign-in, and may do so yet. */
  const show = (status: SignInStatus): OperationAnswer<"getSignIn"> => {
    const body = statusBody(status);
    const isReached = workloads.list().some(({ name, status: each }) => name === status.name && each === "running");
    return body.state === "open" && !isReached ? { ...body, state: "unknown" } : body;
  };
  return {
    listSignIns: async () => ({ sign_ins: signIns.list().map(show) }),
    getSignIn: async ({ params: { name } }) => {
      assertWorkload(name);
      const status = signIns.describe(name);
      if (status) return show(status);
      throw new ThvError("INVALID_ARGUMENT", `${name} runs on this machine, so that nobody signs in for it.`, {
        hint: "See which servers are remote: thv auth status",
      });
    },
    beginSignIn: async ({ params: { name }, body }) => {
      assertWorkload(name);
      return offerBody(await signIns.begin(name, body.method));
    },
    endSignIn: async ({ params: { name } }) => {
      assertWorkload(name);
      return { revoked: (await signIns.signOut(name)).isRevoked };
    },
  };
}

function statusBody({ name, server, grant, progress }: SignInStatus): OperationAnswer<"getSignIn"> {
  const { state, kind, issuer, clientId, scopes, expiresAt, renewedAt, keptIn, isRenewable, error } = grant;
  return {
    name,
    server,
    state,
    kind,
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { client_id: clientId }),
    scopes: [...scopes],
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(renewedAt && { renewed_at: renewedAt.toISOString() }),
    ...(keptIn && { kept_in: keptIn }),
    renewable: isRenewable,
    ...(error && { error: errorBody(error) }),
    ...(progress && {
      login: {
        state: progress.state,
        ...offerBody(progress.offer),
        ...(progress.error && { error: errorBody(progress.error) }),
      },
    }),
  };
}

function offerBody({ address, callbackPort, userCode, expiresAt }: Offer): OperationAnswer<"beginSignIn"> {
  return {
    address,
    ...(callbackPort !== undefined && { callback_port: callbackPort }),
    ...(userCode !== undefined && { user_code: userCode }),
    expires_at: expiresAt.toISOString(),
  };
}

function errorBody({ code, message, hint }: NonNullable<SignInStatus["grant"]["error"]>) {
  return { code, message, ...(hint !== undefined && { hint }) };
}
