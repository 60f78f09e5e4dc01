import type { SignInStatus, Workload } from "@toolhive/core";
import { expect, test } from "vitest";
import { signInsHandlers } from "./sign-ins.ts";

type Listed = Pick<Workload, "name" | "status">;

async function readState(grant: SignInStatus["grant"]["state"], status: Listed["status"]): Promise<string> {
  const signIn: SignInStatus = {
    name: "web",
    server: "https://mcp.example.com/mcp",
    grant: { state: grant, kind: "none", scopes: [], isRenewable: false },
  };
  const workload = { name: "web", status } as Workload;
  const handlers = signInsHandlers(
    { describe: () => workload, list: () => [workload] },
    {
      list: () => [signIn],
      describe: () => signIn,
      begin: async () => await Promise.reject(new Error("nobody begins one")),
      signOut: async () => ({ isRevoked: false }),
    },
  );
  const { sign_ins: all } = await handlers.listSignIns(
    {} as Parameters<typeof handlers.listSignIns>[0],
    undefined as never,
  );
  return all[0]?.state ?? "";
}

test.each([
  ["open", "running", "open"],
  ["open", "unhealthy", "unknown"],
  ["open", "starting", "unknown"],
  ["open", "stopped", "unknown"],
  ["unauthenticated", "unhealthy", "unauthenticated"],
  ["valid", "unhealthy", "valid"],
] as const)("a sign-in that is %s at a server that is %s is shown as %s", async (grant, status, shown) => {
  expect(await readState(grant, status)).toBe(shown);
});
