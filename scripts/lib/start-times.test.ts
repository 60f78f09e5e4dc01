import { expect, test } from "vitest";
import { formatStartTimes, READY, readStep } from "./start-times.mjs";

test.each([
  ["✓ Install packages 54.8 s", { title: "Install packages", time: "54.8 s" }],
  ["✓ Start the local API (http://127.0.0.1:8921) 401 ms", { title: "Start the local API", time: "401 ms" }],
  [
    "✓ Build the site and its search index 1 min 2 s",
    { title: "Build the site and its search index", time: "1 min 2 s" },
  ],
  ["  Ready after 1 min 42 s. Ctrl-C ends both.", { title: READY, time: "1 min 42 s" }],
  ["  Build thv … 15.0 s", undefined],
  ["✗ Build thv 3 ms", undefined],
])("%s", (line, step) => {
  expect(readStep(line)).toEqual(step);
});

test("a table has a row for each step of any run, and the end of all last", () => {
  const table = formatStartTimes({
    machine: "2 processors",
    date: "2026-11-25",
    revision: "abc",
    runs: [
      {
        name: "Cold",
        load: 0.25,
        steps: [
          { title: "Install packages", time: "40 s" },
          { title: READY, time: "60 s" },
        ],
      },
      {
        name: "Warm",
        load: 1,
        steps: [
          { title: "Start the site", time: "1 s" },
          { title: READY, time: "2 s" },
        ],
      },
    ],
  });

  expect(table.split("\n").filter((line) => line.startsWith("|"))).toEqual([
    "| Step | Cold (load before it: 0.3) | Warm (load before it: 1.0) |",
    "| --- | ---: | ---: |",
    "| Install packages | 40 s |  |",
    "| Start the site |  | 1 s |",
    `| ${READY} | 60 s | 2 s |`,
  ]);
});
