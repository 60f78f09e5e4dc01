import { describe, expect, test } from "vitest";
import type { LogLine } from "./container-engine.ts";
import { followServerOutput, readServerOutput } from "./server-output.ts";
import { FakeEngine } from "./testing/fake-engine.ts";

async function engineWith(log: readonly LogLine[]) {
  const fake = new FakeEngine();
  const container = fake.create({ name: "echo", image: "mcp/echo:1", args: [], env: {}, labels: {}, stdio: true });
  container.log.push(...log);
  return { engine: await fake.connect(), id: container.id };
}

const err = (text: string): LogLine => ({ stream: "stderr", text });
const out = (text: string): LogLine => ({ stream: "stdout", text });
const MESSAGE = '{"jsonrpc":"2.0","id":1,"result":{"secret":"of a tool"}}';

describe("a server's output", () => {
  test("leaves out messages of the protocol and keeps everything else, in order", async () => {
    const { engine, id } = await engineWith([
      err("ready"),
      out(MESSAGE),
      out(`  ${MESSAGE}`),
      out("printed to stdout by mistake"),
      err(MESSAGE),
      out('{"level":"info"}'),
    ]);

    expect(await readServerOutput(engine, id, { tail: 100 })).toEqual([
      "ready",
      "printed to stdout by mistake",
      MESSAGE,
      '{"level":"info"}',
    ]);
  });

  test("is cut to the newest lines after the messages were left out", async () => {
    const { engine, id } = await engineWith([err("one"), err("two"), err("three"), out(MESSAGE), out(MESSAGE)]);

    expect(await readServerOutput(engine, id, { tail: 2 })).toEqual(["two", "three"]);
  });

  test("leaves out every piece of a message that is too long to be held, and keeps those of other lines", async () => {
    const { engine, id } = await engineWith([
      out(MESSAGE.slice(0, 30)),
      err("between"),
      { ...out(MESSAGE.slice(30)), isContinued: true },
      out("a long line that is "),
      { ...out("no message"), isContinued: true },
    ]);
    const followed: string[] = [];

    const read = await readServerOutput(engine, id, { tail: 100 });
    for await (const line of followServerOutput(engine, id, { tail: 100 })) followed.push(line);

    expect(read).toEqual(["between", "a long line that is ", "no message"]);
    expect(followed).toEqual(read);
  });

  test.each([
    ['ret":"of a {tool}"}}', false],
    ['"}]}}', false],
    ["listening with { port: 1 }", true],
    ["{}", true],
    ["}, or so it says", true],
  ])("of a log that begins with %j shows it: %s", async (text, isShown) => {
    const { engine, id } = await engineWith([err("ready"), out(text), out("}")]);

    expect(await readServerOutput(engine, id, { tail: 100 })).toEqual(["ready", ...(isShown ? [text] : []), "}"]);
  });

  test("can be followed, and ends with its container", async () => {
    const { engine, id } = await engineWith([err("one"), out(MESSAGE), err("two")]);
    const lines: string[] = [];

    for await (const line of followServerOutput(engine, id, { tail: 100 })) lines.push(line);

    expect(lines).toEqual(["one", "two"]);
  });
});
