import { expect, test } from "vitest";
import { Listeners } from "./listeners.ts";

test("all who listen at the time are called, also when one of them leaves or comes meanwhile", () => {
  const listeners = new Listeners();
  const called: string[] = [];
  const leaveFirst = listeners.add(() => {
    called.push("first");
    leaveFirst();
    listeners.add(() => called.push("late"));
  });
  listeners.add(() => called.push("second"));

  listeners.notify();
  expect(called).toEqual(["first", "second"]);

  listeners.notify();
  expect(called).toEqual(["first", "second", "second", "late"]);
});

test("nobody is called after having left, or after all were sent away", () => {
  const listeners = new Listeners();
  let calls = 0;
  const leave = listeners.add(() => calls++);
  listeners.add(() => calls++);

  leave();
  expect(listeners.size).toBe(1);
  listeners.clear();
  listeners.notify();

  expect([calls, listeners.size]).toEqual([0, 0]);
});
