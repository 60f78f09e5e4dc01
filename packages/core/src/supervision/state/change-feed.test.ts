import { describe, expect, test } from "vitest";
import { ChangeFeed } from "./change-feed.ts";

describe("a feed of changes", () => {
  test("yields at once, counts changes during a pause as one, and ends when it is closed", async () => {
    const feed = new ChangeFeed();
    const follower = feed.follow(new AbortController().signal);

    expect(await follower.next()).toEqual({ done: false, value: undefined });
    feed.announce();
    feed.announce();
    expect((await follower.next()).done).toBe(false);
    const third = follower.next();
    feed.announceProgress();
    expect((await third).done).toBe(false);
    const last = follower.next();
    feed.close();

    expect((await last).done).toBe(true);
  });

  test("ends for a reader that has gone, and not for others", async () => {
    const feed = new ChangeFeed();
    const gone = new AbortController();
    const [left, stays] = [feed.follow(gone.signal), feed.follow(new AbortController().signal)];
    await Promise.all([left.next(), stays.next()]);
    const [end, next] = [left.next(), stays.next()];

    gone.abort();
    expect((await end).done).toBe(true);
    feed.announce();

    expect((await next).done).toBe(false);
    feed.close();
  });
});
