import { PassThrough, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { formatLine } from "../messages/outgoing-line.ts";
import { DEFAULT_BOUNDS } from "../options/limits.ts";
import { SILENT_LOG } from "../options/log.ts";
import { ServerLink } from "./server-link.ts";

/** A link whose server notes what comes with each write. */
function openLink({ isShared }: { readonly isShared: boolean }) {
  const writes: string[] = [];
  const stdin = new Writable({
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(""));
      done();
    },
  });
  const nothing = () => undefined;
  const link = new ServerLink({
    connection: { stdin, stdout: new PassThrough() },
    limits: DEFAULT_BOUNDS,
    log: SILENT_LOG,
    isShared: () => isShared,
    onMessage: nothing,
    onOversize: nothing,
    onDrain: nothing,
    onGone: nothing,
  });
  const send = (text: string) => link.send(formatLine(Buffer.from(text)));
  return { link, writes, send };
}

test("a message goes to the server at once when one client is alone", () => {
  const { writes, send } = openLink({ isShared: false });

  expect([send("1"), send("2")]).toEqual([true, true]);
  expect(writes).toEqual(["1\n", "2\n"]);
});

test("what several clients send in one turn of the event loop goes to the server as one write, in order", async () => {
  const { link, writes, send } = openLink({ isShared: true });

  for (const text of ["1", "2", "x".repeat(5_000), "4"]) expect(send(text)).toBe(true);
  expect(writes).toEqual([]);
  expect(link.backlogBytes).toBeGreaterThan(5_000);
  await turn();
  expect(writes).toEqual([`1\n2\n${"x".repeat(5_000)}\n4\n`]);
  send("5");
  await turn();
  expect(writes).toHaveLength(2);
});
