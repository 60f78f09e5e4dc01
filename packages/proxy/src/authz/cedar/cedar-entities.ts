/** The entities of an authorisation file, merged with those of a request. */
import type { CedarValueJson, EntityJson, TypeAndId } from "@cedar-policy/cedar-wasm/nodejs";
import { isRecord } from "@toolhive/http/values";
import { MAX_ANCESTRY } from "./policy-limits.ts";

/** @returns The entities, or the problem of the text. */
export function parseEntities(text: string): EntityJson[] | string {
  if (text.trim() === "") return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "cedar.entities_json is not JSON";
  }
  if (!Array.isArray(value) || !value.every(isRecord)) return "cedar.entities_json is not a JSON array of entities";
  // Cedar asks for members that the files of existing users may leave out.
  return value.map((entity) => ({ attrs: {}, parents: [], ...entity }) as unknown as EntityJson);
}

/**
 * The engine computes all ancestors again for each query, which takes minutes for a chain of thousands.
 *
 * @returns The problem of entities that have too many levels of parents.
 */
export function findAncestryProblem(entities: readonly EntityJson[]): string | undefined {
  const parents = new Map(
    entities.map((entity) => [formatEntityKey(readUid(entity)), entity.parents.map(formatParent)]),
  );
  let steps = 0;
  for (const key of parents.keys()) {
    const seen = new Set<string>();
    const open = [key];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const parent of parents.get(next) ?? []) {
        steps += 1;
        if (steps > MAX_ANCESTRY)
          return `cedar.entities_json has more than ${MAX_ANCESTRY} steps from entities to those above them`;
        if (seen.has(parent)) continue;
        seen.add(parent);
        open.push(parent);
      }
    }
  }
  return undefined;
}

function formatParent(uid: EntityJson["parents"][number]): string {
  return formatEntityKey(readUid({ uid } as EntityJson));
}

export class EntityStore {
  readonly #entities = new Map<string, EntityJson>();

  constructor(entities: readonly EntityJson[]) {
    for (const entity of entities) this.#entities.set(formatEntityKey(readUid(entity)), entity);
  }

  /**
   * All entities, with those of a request among them: those keep the parents, tags and attributes from the file;
   * attributes of the request take precedence.
   */
  with(
    requested: readonly { readonly uid: TypeAndId; readonly attrs: Record<string, CedarValueJson> }[],
  ): EntityJson[] {
    const keys = new Set(requested.map(({ uid }) => formatEntityKey(uid)));
    const merged = requested.map(({ uid, attrs }) => {
      const known = this.#entities.get(formatEntityKey(uid));
      return { parents: [], ...known, uid, attrs: { ...known?.attrs, ...attrs } };
    });
    for (const [key, entity] of this.#entities) if (!keys.has(key)) merged.push({ ...entity, uid: readUid(entity) });
    return merged;
  }
}

function readUid({ uid }: EntityJson): TypeAndId {
  return "__entity" in uid ? uid.__entity : uid;
}

function formatEntityKey({ type, id }: TypeAndId): string {
  return JSON.stringify([type, id]);
}
