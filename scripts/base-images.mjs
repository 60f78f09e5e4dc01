/** Prints how many days of support each base image has, and fails when one has to be replaced. */
import { fileURLToPath } from "node:url";
import { measureAges, NOTICE_DAYS, readBaseImages } from "./lib/base-images.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const ages = measureAges(readBaseImages(ROOT), new Date());
for (const { name, days, isOld } of ages) console.log(`${isOld ? "old " : "good"}  ${name}: ${days} days left`);
const old = ages.filter(({ isOld }) => isOld);
if (old.length > 0) {
  console.error(
    `${old.length} base images have fewer than ${NOTICE_DAYS} days left: name newer ones in packages/core/src, and their dates in scripts/lib/base-images.json.`,
  );
  process.exitCode = 1;
}
