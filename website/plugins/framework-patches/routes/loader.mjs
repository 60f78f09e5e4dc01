/** A loader for the generated modules that say which bundles a page needs (`page-table.mjs`). */
import { readFileSync } from "node:fs";
import path from "node:path";
import { writeChunkNames, writeRegistry, writeRoutes } from "./page-table.mjs";

/** @this {{ resourcePath: string, addDependency: (file: string) => void }} */
export default function compactRoutes(source) {
  const name = path.basename(this.resourcePath);
  if (name === "registry.js") return writeRegistry(source);
  const beside = (other) => {
    const file = path.join(path.dirname(this.resourcePath), other);
    this.addDependency(file);
    return readFileSync(file, "utf8");
  };
  return name === "routes.js"
    ? writeRoutes(source, JSON.parse(beside("routesChunkNames.json")))
    : writeChunkNames(beside("routes.js"), JSON.parse(source));
}
