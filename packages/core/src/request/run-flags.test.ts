import { expect, test } from "vitest";
import { toRunFlags } from "./run-flags.ts";

test("a time and a size are written as people write them, other numbers as they are", () => {
  const limits = { memory_bytes: 512 * 1024 * 1024, cpus: 0.5, pids: 1024 };

  expect(toRunFlags({ image: "acme/weather", limits, sleep_after_seconds: 90, target_port: 3000 })).toEqual([
    ...["--target-port", "3000"],
    ...["--memory", "512m", "--cpus", "0.5", "--pids-limit", "1024"],
    ...["--sleep-after", "1m30s"],
  ]);
});
