import { expect, test, vi } from "vitest";

test("a wait without a limit of its own lasts longer than a second, as other work may run beside the tests", async () => {
  const begin = performance.now();
  const isOver = () => performance.now() - begin > 1_200;

  await vi.waitFor(() => expect(isOver()).toBe(true));
  expect(await vi.waitUntil(() => performance.now() - begin > 2_400 && "over")).toBe("over");
});

test("a wait with a limit of its own keeps it", async () => {
  await expect(vi.waitFor(() => expect(1).toBe(2), { timeout: 20 })).rejects.toThrow("expected 1 to be 2");
  await expect(vi.waitUntil(() => false, 20)).rejects.toThrow("Timed out in waitUntil!");
});
