import { expect, test } from "vitest";
import { ERROR_GUIDE } from "./error-guide/error-guide.ts";
import { renderError } from "./render-error.ts";

test("every line of a remedy's commands is indented alike", () => {
  const pairs = Object.entries(ERROR_GUIDE).flatMap(([code, { remedies }]) =>
    remedies.flatMap(({ command }) => (command?.includes("\n") ? [[code, command] as const] : [])),
  );

  expect(pairs).not.toEqual([]);
  for (const [code, command] of pairs) {
    const indented = command.split("\n").map((line) => `      ${line}`);
    expect(renderError(code, 80)).toContain(`\n${indented.join("\n")}\n`);
  }
});
