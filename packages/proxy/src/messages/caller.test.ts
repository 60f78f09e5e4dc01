import { userInfo } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { createLocalCaller } from "./caller.ts";

vi.mock("node:os", async (load) => {
  const os = await load<typeof import("node:os")>();
  return { ...os, userInfo: vi.fn(os.userInfo) };
});

afterEach(() => vi.mocked(userInfo).mockReset());

test("a caller without a token is the user of this machine", () => {
  vi.mocked(userInfo).mockReturnValue({ username: "ada" } as ReturnType<typeof userInfo>);

  expect(createLocalCaller(new Date(0)).claims).toMatchObject({ sub: "ada", name: "Local User: ada" });
});

test("a user whom the machine has no name for, as in many containers, goes by the number", () => {
  vi.mocked(userInfo).mockImplementation(() => {
    throw Object.assign(new Error("no such file or directory"), { code: "ERR_SYSTEM_ERROR" });
  });

  expect(createLocalCaller(new Date(0)).claims.sub).toBe(String(process.getuid?.() ?? "unknown"));
});
