/** The log of a supervisor in the foreground, as a person sees it. */
import { describe, expect, test } from "vitest";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { createLog } from "./log.ts";

const HOSTILE = "\u001b[2J\u001b]0;title\u0007\r10:00:00 INF all good\n10:00:01 INF forged\u202e";

describe.each([{ isTty: true }, { isTty: false }])("with $isTty for a terminal", ({ isTty }) => {
  test("a record is one line, whatever a server wrote", () => {
    const fake = new FakeTerminal({ isTty, env: { NO_COLOR: "1" } });
    const log = createLog({ isBackground: false, terminal: fake.terminal });

    log.warn({ line: HOSTILE, nested: { line: HOSTILE } }, `server wrote ${HOSTILE}`);

    expect(fake.stderr.split("\n")).toHaveLength(2);
    expect(fake.stderr).toContain(
      "line=\\x1b[2J\\x1b]0;title\\x07\\x0d10:00:00 INF all good\\x0a10:00:01 INF forged\\u{202e}",
    );
    expect(fake.stderr.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_C}]/u);
  });

  test("the lines of a stack are indented, so that none looks like a record", () => {
    const fake = new FakeTerminal({ isTty, env: { NO_COLOR: "1" } });
    const log = createLog({ isBackground: false, terminal: fake.terminal });

    log.error({ err: new Error(HOSTILE) }, "unexpected error");

    const [, ...stack] = fake.stderr.trimEnd().split("\n");
    expect(stack.length).toBeGreaterThan(1);
    for (const line of stack) expect(line).toMatch(/^ {4}\P{Cc}*$/u);
  });
});
