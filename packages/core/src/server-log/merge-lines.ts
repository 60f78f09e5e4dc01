/** Two logs as one, in the order of time, without reading ahead more than one line of each. */
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds that the first line of a log may take before the other one continues alone. */
const FIRST_LINE_MS = 300;

interface Line {
  readonly at?: number;
}

interface Source<T> {
  readonly lines: AsyncIterator<T>;
  head: T | undefined;
  /** The next line, on its way. */
  next: Promise<void> | undefined;
  isOver: boolean;
}

/** Ends with the last of both. */
export async function* mergeLines<A extends Line, B extends Line>(
  first: AsyncIterable<A>,
  second: AsyncIterable<B>,
): AsyncGenerator<A | B> {
  const main: Source<A | B> = open(first);
  const side: Source<A | B> = open(second);
  try {
    await Promise.race([Promise.all([advance(main), advance(side)]), delay(FIRST_LINE_MS, undefined, { ref: false })]);
    while ([main, side].some(({ head, isOver }) => head !== undefined || !isOver)) {
      const source = pickEarlier(main, side);
      if (source?.head !== undefined) {
        yield source.head;
        source.head = undefined;
        // A line that is available already arrives within one turn.
        await Promise.race([advance(source), new Promise((resolve) => setImmediate(resolve))]);
      } else await Promise.race([main, side].filter(({ isOver }) => !isOver).map(advance));
    }
  } finally {
    // Not awaited: one that waits for its next line returns when its signal fires.
    void main.lines.return?.();
    void side.lines.return?.();
  }
}

function open<T>(lines: AsyncIterable<T>): Source<T> {
  return { lines: lines[Symbol.asyncIterator](), head: undefined, next: undefined, isOver: false };
}

async function advance<T>(source: Source<T>): Promise<void> {
  if (source.head !== undefined || source.isOver) return;
  source.next ??= source.lines.next().then(({ value, done }) => {
    source.next = undefined;
    if (done) source.isOver = true;
    else source.head = value;
  });
  await source.next;
}

/** A line without a moment keeps its place behind the one before it. */
function pickEarlier<T extends Line>(main: Source<T>, side: Source<T>): Source<T> | undefined {
  if (main.head === undefined) return side.head === undefined ? undefined : side;
  if (side.head === undefined) return main;
  return (side.head.at ?? 0) < (main.head.at ?? 0) ? side : main;
}
