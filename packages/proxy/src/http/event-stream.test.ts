/** What an open stream sends by itself. */
import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { DEFAULT_BOUNDS } from "../options/limits.ts";
import { EventStream } from "./event-stream.ts";

/** The part of a response that a stream uses; what is written is kept. */
class Connection extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  writeHead(): void {}

  flushHeaders(): void {}
}

test("a connection on which nothing is sent for a while gets a comment, so that nobody between takes it for dead", () => {
  let now = 0;
  const { keepAliveMs } = DEFAULT_BOUNDS;
  const options = { id: 1, limits: DEFAULT_BOUNDS, attached: new Set<EventStream>(), resumable: false };
  const stream = new EventStream({ ...options, now: () => now });
  const connection = new Connection();
  stream.attach(connection as unknown as ServerResponse);

  now = keepAliveMs - 1;
  stream.sweep(now);
  expect(connection.text).toBe("");
  now = keepAliveMs;
  stream.sweep(now);
  expect(connection.text).toBe(": keep-alive\n\n");
  stream.sweep(now + keepAliveMs - 1);
  expect(connection.text).toBe(": keep-alive\n\n");
  now += keepAliveMs;
  stream.sweep(now);

  expect(connection.text).toBe(": keep-alive\n\n".repeat(2));
  stream.close();
});
