import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { Progress } from "./progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const CLEAR = "\r\u001b[2K";

describe("on a terminal", () => {
  test("one line is drawn over from the start, follows its text, and is wiped at the end", () => {
    const fake = new FakeTerminal({ isTty: true, columns: 40, env: { NO_COLOR: "1" } });

    const progress = new Progress(fake.terminal, "Starting echo");
    expect(fake.stderr.startsWith(CLEAR)).toBe(true);
    expect(fake.stderr.endsWith(" Starting echo")).toBe(true);
    progress.update("Starting echo: pulling the image");
    vi.advanceTimersByTime(80);
    expect(fake.stderr.split(CLEAR).at(-1)).toMatch(/^. Starting echo: pulling the image$/);
    progress[Symbol.dispose]();
    const atTheEnd = fake.stderr;
    vi.advanceTimersByTime(10_000);

    expect(atTheEnd.endsWith(CLEAR)).toBe(true);
    expect(fake.stderr).toBe(atTheEnd);
    expect([fake.stderr.includes("\n"), fake.stdout]).toEqual([false, ""]);
  });

  test("a text that is longer than the line, or has more than one, is cut to one line", () => {
    const fake = new FakeTerminal({ isTty: true, columns: 30, env: { NO_COLOR: "1" } });

    using _progress = new Progress(fake.terminal, `first\nsecond\u001b[31m${"x".repeat(100)}`);

    const line = fake.stderr.split(CLEAR).at(-1) ?? "";
    expect(line.length).toBeLessThan(30);
    expect(line).not.toMatch(/\p{Cc}/u);
  });

  test("a text that is too long loses what is being done before it loses how far it is", () => {
    const fake = new FakeTerminal({ isTty: true, columns: 40, env: { NO_COLOR: "1" } });

    using _progress = new Progress(fake.terminal, "Starting everything: pulling the image: 1.0 of 2.0 MB");

    expect(fake.stderr.split(CLEAR).at(-1)).toMatch(/^. pulling the image: 1\.0 of 2\.0 MB$/);
  });

  test("details go below the text, and everything is wiped before it is drawn again", () => {
    const fake = new FakeTerminal({ isTty: true, columns: 40, env: { NO_COLOR: "1" } });
    const progress = new Progress(fake.terminal, "Pulling");

    progress.update("Pulling", (width) => ["one", `${"x".repeat(width)}y`]);
    vi.advanceTimersByTime(80);
    expect(fake.stderr.endsWith(`Pulling\none\n${"x".repeat(39)}`)).toBe(true);
    fake.stderr = "";
    vi.advanceTimersByTime(80);
    const up = `\u001b[1A${CLEAR}`;
    expect(fake.stderr.startsWith(`${CLEAR}${up}${up}`)).toBe(true);
    fake.stderr = "";
    progress[Symbol.dispose]();

    expect(fake.stderr).toBe(`${CLEAR}${up}${up}`);
  });

  test.each([
    [{ LANG: "C" }, true],
    [{ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, true],
    [{ LANG: "en_US.UTF-8" }, false],
    [{ LC_CTYPE: "C.utf8", LANG: "C" }, false],
  ])("with the locale %j draws in ASCII only: %s", (env, isAscii) => {
    const fake = new FakeTerminal({ isTty: true, env: { ...env, NO_COLOR: "1" } });

    using _progress = new Progress(fake.terminal, "Starting");

    expect(!/[^\p{ASCII}]/u.test(fake.stderr)).toBe(isAscii);
  });
});

describe("elsewhere", () => {
  test("nothing is said for three seconds, then each new text once, on stderr", () => {
    const fake = new FakeTerminal();

    using progress = new Progress(fake.terminal, "Starting echo");
    vi.advanceTimersByTime(2_900);
    expect(fake.stderr).toBe("");
    vi.advanceTimersByTime(200);
    expect(fake.stderr).toBe("Starting echo\n");
    vi.advanceTimersByTime(30_000);
    expect(fake.stderr).toBe("Starting echo\n");
    progress.update("Starting echo: pulling the image");
    vi.advanceTimersByTime(3_000);

    expect(fake.stderr).toBe("Starting echo\nStarting echo: pulling the image\n");
    expect(fake.stdout).toBe("");
  });

  test.each([{ CI: "true" }, { TERM: "dumb" }])("counts a terminal with %j as elsewhere", (env) => {
    const fake = new FakeTerminal({ isTty: true, env });

    using _progress = new Progress(fake.terminal, "Starting echo");

    expect(fake.stderr).toBe("");
  });
});
