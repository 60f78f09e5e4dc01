import { describe, expect, test } from "vitest";
import { BodyBudget } from "./body-budget.ts";

describe("BodyBudget", () => {
  test("lets bodies in while there is room, then in order as room comes back", async () => {
    let backlog = 0;
    const bodyBudget = new BodyBudget({ maxBytes: 10, backlogBytes: () => backlog });
    const order: string[] = [];
    expect(bodyBudget.acquire(6)).toBeUndefined();
    const second = bodyBudget.acquire(6)?.then(() => order.push("second"));
    const third = bodyBudget.acquire(1)?.then(() => order.push("third"));

    backlog = 6;
    bodyBudget.release(6);
    expect(bodyBudget.waitingCount).toBe(2);
    backlog = 3;
    bodyBudget.drain();
    await Promise.all([second, third]);

    expect(order).toEqual(["second", "third"]);
  });

  test("lets in a body that is larger than everything allowed when it is alone", () => {
    const bodyBudget = new BodyBudget({ maxBytes: 10, backlogBytes: () => 0 });

    expect(bodyBudget.acquire(100)).toBeUndefined();
    expect(bodyBudget.acquire(1)).toBeInstanceOf(Promise);
  });

  test("forgets who went away while waiting", async () => {
    const bodyBudget = new BodyBudget({ maxBytes: 10, backlogBytes: () => 0 });
    bodyBudget.acquire(10);
    let abandon: () => void = () => undefined;
    const waiting = bodyBudget.acquire(5, (callback) => {
      abandon = callback;
    });

    abandon();

    await expect(waiting).rejects.toThrow(/went away/);
    expect(bodyBudget.waitingCount).toBe(0);
  });
});
