/**
 * The base images that images are built on here, with the day on which what they hold gets no security fixes any more. The day
 * comes from the page that each row names; Go ends a version when the second one after it is released, each February and August.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where base images are named. */
const SOURCES = ["packages/core/src/images/dockerfile.ts", "packages/core/src/supervision/containers/sidecar-image.ts"];

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days before its end at which a base image has to be replaced: a release and its users take their time. */
export const NOTICE_DAYS = 60;

/**
 * @typedef {{ readonly ends: string, readonly source: string }} BaseImage
 * @param {string} root The repository.
 * @returns {Record<string, BaseImage>}
 */
export function readBaseImages(root) {
  return JSON.parse(readFileSync(join(root, "scripts/lib/base-images.json"), "utf8"));
}

/**
 * @param {string} root The repository.
 * @returns {string[]} Base images that its sources name.
 */
export function listNamedImages(root) {
  const texts = SOURCES.map((path) => readFileSync(join(root, path), "utf8"));
  const names = texts.flatMap((text) => text.match(/docker\.io\/library\/[a-z]+:[a-z0-9.-]+/g) ?? []);
  return [...new Set(names)].sort();
}

/**
 * @param {Record<string, BaseImage>} images
 * @param {Date} now
 * @returns {{ readonly name: string, readonly days: number, readonly isOld: boolean }[]} With the days that each has left.
 */
export function measureAges(images, now) {
  return Object.entries(images).map(([name, { ends }]) => {
    const days = Math.floor((Date.parse(`${ends}T00:00:00Z`) - now.getTime()) / DAY_MS);
    return { name, days, isOld: days < NOTICE_DAYS };
  });
}
