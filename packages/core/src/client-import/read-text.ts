/** The text of a client's file as its settings: JSON with comments of most clients, TOML of Codex, YAML of Goose and Continue. */
import { parseToml } from "../clients/edit-toml.ts";
import { parseYaml } from "../clients/edit-yaml.ts";
import { readClientJson } from "./read-json.ts";

type Format = "json" | "toml" | "yaml";

const READ: Readonly<Record<Format, (text: string) => unknown>> = {
  json: readClientJson,
  toml: (text) => parseToml(dropMark(text)),
  yaml: (text) => parseYaml(dropMark(text)),
};

/** @param path Of the file; its ending says what it is, else its content. @throws {Error} saying where it cannot be read. */
export function readClientText(text: string, path: string): unknown {
  return READ[detectFormat(text, path)](text);
}

function detectFormat(text: string, path: string): Format {
  if (/\.toml$/i.test(path)) return "toml";
  if (/\.ya?ml$/i.test(path)) return "yaml";
  if (/\.jsonc?$/i.test(path)) return "json";
  const [first = ""] = dropMark(text)
    .split("\n")
    .filter((line) => !/^\s*(?:#|$)/.test(line));
  if (/^\s*\[[^[\]",{}]+\]\s*(?:#.*)?$/.test(first) || /^\s*[\w."-]+\s*=/.test(first)) return "toml";
  return /^\s*(?:[A-Za-z_][\w-]*\s*:(?:\s|$)|-\s|---)/.test(first) ? "yaml" : "json";
}

function dropMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
