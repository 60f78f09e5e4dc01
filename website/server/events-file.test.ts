import { expect, test } from "vitest";
import { findEventsFile } from "./events-file.ts";

test("searches are kept beside the site, in the file that is named, or with off in none", () => {
  expect(findEventsFile(undefined, "/srv/website/dist")).toBe("/srv/website/.data/search-events.ndjson");
  expect(findEventsFile("", "/srv/website/dist")).toBe("/srv/website/.data/search-events.ndjson");
  expect(findEventsFile("/var/log/searches.ndjson", "/srv/website/dist")).toBe("/var/log/searches.ndjson");
  expect(findEventsFile("off", "/srv/website/dist")).toBeUndefined();
});
