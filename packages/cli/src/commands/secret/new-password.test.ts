/** The bound of new passwords as the command line says it; `secret-manager.test.ts` has where it holds. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { ServedThv } from "../../testing/served-thv.ts";
import { askNewPassword } from "./new-password.ts";

let world: ServedThv;
beforeEach(async () => {
  world = await ServedThv.start();
});
afterEach(() => world[Symbol.asyncDispose]());

test("a person is asked again after a short one, before it is typed twice", async () => {
  const fake = new FakeTerminal({
    isTty: true,
    answers: [
      ["New password", "seven c"],
      ["too short", "long enough"],
      ["The same password again", "long enough"],
    ],
  });

  expect(await askNewPassword(fake.terminal)).toBe("long enough");
  expect(fake.stderr).toContain("The password has 7 characters, which is too short for a new one.");
});

test("a short one in a file is refused with the bound, and the provider is not set up", async () => {
  const file = join(world.home, "password");
  await writeFile(file, "seven c\n");

  const { code, stdout, stderr } = await world.call(["secret", "provider", "encrypted", "--password-file", file]);

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    "Error: The password has 7 characters, which is too short for a new one.\n" +
      "Hint: Choose one of at least 8 characters; several words are easy to remember.\n",
  );
  expect((await world.call(["secret", "list"])).code).toBe(5);
});

test("the value of a secret is no argument: one that is given is refused before anything is asked", async () => {
  const { code, stdout, stderr } = await world.call(["secret", "set", "token", "hunter2"]);

  expect([code, stdout]).toEqual([64, ""]);
  expect(stderr).toContain("thv secret set");
});
