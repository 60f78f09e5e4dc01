import { expect, test } from "vitest";
import { waitFor } from "./wait-for.ts";

test("a wait returns what the condition returned at last", async () => {
  const answers = [undefined, false, "there"];

  const value = await waitFor(() => answers.shift(), { what: "an answer", intervalMs: 1 });

  expect(value).toBe("there");
});

test("a wait that fails names what it waited for and carries the last error as its cause", async () => {
  const reason = new Error("connection refused");
  const condition = () => Promise.reject(reason);

  const wait = waitFor(condition, { what: "the server to answer", deadlineMs: 5, intervalMs: 1 });

  await expect(wait).rejects.toMatchObject({
    message: "Waited 5 ms in vain for the server to answer.",
    cause: reason,
  });
});

test("a wait ends with the reason of its signal", async () => {
  const reason = new Error("the test is over");

  const wait = waitFor(() => false, { what: "nothing", signal: AbortSignal.abort(reason) });

  await expect(wait).rejects.toBe(reason);
});
