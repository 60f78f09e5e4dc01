import { describe, expect, it } from "vitest";
import { appendLines, filterLines, isTrouble, type LogLine, MAX_LINES, parseLine } from "./log-lines.ts";

const line = (text: string, source: LogLine["source"] = "server", level?: LogLine["level"]): LogLine => ({
  id: 1,
  source,
  text,
  ...(level !== undefined && { level }),
});
const texts = (lines: readonly LogLine[]) => lines.map(({ text }) => text);

describe("the lines of a log", () => {
  it("come from the stream, each with a number of its own", () => {
    expect(parseLine('{"source":"server","text":"a b","at":"2026-01-02T03:04:05Z"}', 7)).toEqual({
      id: 7,
      source: "server",
      text: "a b",
      at: "2026-01-02T03:04:05Z",
    });
  });

  it("are kept up to a bound, the newest ones", () => {
    const many = Array.from({ length: MAX_LINES }, (_each, index) => line(String(index)));
    const kept = appendLines(many, [line("new")]);
    expect(kept).toHaveLength(MAX_LINES);
    expect(kept.at(-1)?.text).toBe("new");
    expect(kept[0]?.text).toBe("1");
  });

  it("are found by all words, in either case", () => {
    const lines = [line("Listening on port 80"), line("port closed"), line("listening")];
    expect(texts(filterLines(lines, "PORT listening", "all"))).toEqual(["Listening on port 80"]);
    expect(filterLines(lines, "  ", "all")).toBe(lines);
  });

  it("are selected by source", () => {
    const lines = [line("one"), line("two", "proxy", "info")];
    expect(texts(filterLines(lines, "", "server"))).toEqual(["one"]);
    expect(texts(filterLines(lines, "", "proxy"))).toEqual(["two"]);
  });

  it("report trouble by the proxy's level, or by a word at the front", () => {
    expect(isTrouble(line("anything", "proxy", "error"))).toBe(true);
    expect(isTrouble(line("error in the text only", "proxy", "info"))).toBe(false);
    expect(isTrouble(line("2026-01-02 03:04:05 [ERROR] no"))).toBe(true);
    expect(isTrouble(line("Warning: old"))).toBe(true);
    expect(isTrouble(line("terrors of the deep"))).toBe(false);
    expect(isTrouble(line(`${"x ".repeat(100)} error`))).toBe(false);
  });
});
