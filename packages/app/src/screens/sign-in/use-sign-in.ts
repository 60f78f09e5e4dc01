import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";

/** Milliseconds between two checks of a sign-in that waits for a person, and of one that is renewed by itself. */
const WAITING_MS = 1_000;
const LOOK_MS = 10_000;

interface SignInQuery {
  /** Changes with the server's data, so that its sign-in is read again. */
  readonly version?: string;
  readonly isWaiting?: boolean;
  readonly isEnabled?: boolean;
}

export function useSignIn(name: string, { version = "", isWaiting = false, isEnabled = true }: SignInQuery = {}) {
  return useQuery({
    queryKey: ["sign-in", name, version],
    queryFn: ({ signal }) => call("getSignIn", { params: { name }, signal }),
    placeholderData: (before) => before,
    refetchInterval: isWaiting ? WAITING_MS : LOOK_MS,
    enabled: isEnabled,
  });
}
