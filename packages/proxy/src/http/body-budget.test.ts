import { describe, expect, test } from "vitest";
import { Inflow } from "./body-budget.ts";

describe("Inflow", () => {
  test("lets bodies in while there is room, then in order as room comes back", async () => {
    let backlog = 0;
    const inflow = new Inflow({ maxBytes: 10, backlogBytes: () => backlog });
    const order: string[] = [];
    expect(inflow.enter(6)).toBeUndefined();
    const second = inflow.enter(6)?.then(() => order.push("second"));
    const third = inflow.enter(1)?.then(() => order.push("third"));

    backlog = 6;
    inflow.leave(6);
    expect(inflow.waitingCount).toBe(2);
    backlog = 3;
    inflow.wake();
    await Promise.all([second, third]);

    expect(order).toEqual(["second", "third"]);
  });

  test("lets in a body that is larger than everything allowed when it is alone", () => {
    const inflow = new Inflow({ maxBytes: 10, backlogBytes: () => 0 });

    expect(inflow.enter(100)).toBeUndefined();
    expect(inflow.enter(1)).toBeInstanceOf(Promise);
  });

  test("forgets who went away while waiting", async () => {
    const inflow = new Inflow({ maxBytes: 10, backlogBytes: () => 0 });
    inflow.enter(10);
    let abandon: () => void = () => undefined;
    const waiting = inflow.enter(5, (callback) => {
      abandon = callback;
    });

    abandon();

    await expect(waiting).rejects.toThrow(/went away/);
    expect(inflow.waitingCount).toBe(0);
  });
});
