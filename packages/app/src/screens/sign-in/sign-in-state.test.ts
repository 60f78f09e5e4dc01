import { describe, expect, it } from "vitest";
import { describeMoment } from "../../parts/moment.tsx";
import { isUp, needsAttention } from "../../parts/status-mark.tsx";
import type { Workload } from "../../store/live-store.ts";
import { canForget, readProgress, type SignIn, toOpenable } from "./sign-in-state.ts";

const OFFER = { address: "https://login.example.com/authorize?state=1", expires_at: "2026-01-01T00:05:00Z" };
const SIGN_IN: SignIn = {
  name: "calendar",
  server: "https://mcp.example.com/mcp",
  state: "unauthenticated",
  kind: "none",
  scopes: [],
  renewable: false,
};

describe("a sign-in that was begun", () => {
  it("has the progress that the supervisor reports, and is replaced when it reports another sign-in", () => {
    expect(readProgress(OFFER, undefined)).toBe("waiting");
    expect(readProgress(OFFER, { ...SIGN_IN, login: { ...OFFER, state: "failed" } })).toBe("failed");
    const other = { ...OFFER, address: "https://login.example.com/authorize?state=2", state: "done" as const };
    expect(readProgress(OFFER, { ...SIGN_IN, login: other })).toBe("replaced");
  });

  it("may be forgotten only while no token is in use", () => {
    expect(
      (["open", "valid", "renewing", "unauthenticated"] as const).filter((state) => canForget({ ...SIGN_IN, state })),
    ).toEqual(["open", "unauthenticated"]);
    expect(canForget(undefined)).toBe(false);
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "nowhere"])("never opens %s", (address) => {
    expect(toOpenable(address)).toBeUndefined();
    expect(toOpenable(OFFER.address)).toBe(OFFER.address);
  });
});

describe("a server that nobody is signed in for", () => {
  it("needs somebody, and can be stopped", () => {
    const workload = { status: "unauthenticated" } as Workload;
    expect([needsAttention(workload), isUp(workload)]).toEqual([true, true]);
  });
});

describe("the end of a token", () => {
  it("is ahead, where another moment that is ahead is a clock that differs", () => {
    expect(describeMoment(300_000, 0, true)).toBe("in 5 minutes");
    expect(describeMoment(0, 300_000, true)).toBe("5 minutes ago");
    expect(describeMoment(300_000, 0)).toBe("now");
    expect(describeMoment(Date.UTC(2025, 6, 18, 12), Date.UTC(2025, 8, 10))).toBe("53 days ago");
    expect(describeMoment(Date.UTC(2025, 6, 18, 12), Date.UTC(2026, 6, 18))).toBe("18 July 2025");
  });
});
