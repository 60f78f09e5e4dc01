/** Finds the operation of a request by its method and path. */
import type { Operation } from "../contract/parts/operation.ts";
import { findRoute, type OperationId } from "../contract/routes.ts";

/** Characters of a path segment: the longest name of a secret, each of its bytes percent-encoded. */
const MAX_PARAM_LENGTH = 3 * 1024;

interface Route {
  readonly id: OperationId;
  readonly operation: Operation;
  readonly method: string;
  /** Of the whole path; a group for each parameter. */
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export class Router {
  readonly #routes: readonly Route[];

  constructor(operations: Readonly<Record<string, Operation>>) {
    // A literal path precedes one with a parameter in the same place.
    this.#routes = Object.entries(operations)
      .map(([id, operation]) => compile(id as OperationId, operation))
      .sort((left, right) => left.names.length - right.names.length);
  }

  /**
   * @param path As it was sent, without its query.
   * @returns `undefined` when no operation has that path. @throws {URIError} for a path that is not percent-encoded.
   */
  find(method: string, path: string): FoundRoute | undefined {
    for (const route of this.#routes) {
      const values = route.method === method ? route.pattern.exec(path)?.slice(1) : undefined;
      if (!values) continue;
      if (values.some((value) => value.length > MAX_PARAM_LENGTH)) return undefined;
      const decoded = values.map((value) => decodeURIComponent(value));
      return { route, params: Object.fromEntries(route.names.map((name, index) => [name, decoded[index] ?? ""])) };
    }
    return undefined;
  }

  /**
   * Methods that the OpenAPI document has at a path, for callers who may call anything. Of several paths that match, the document
   * means the one with the fewest parameters: at `/clients/plan` it has POST, though `DELETE /clients/{name}` matches, too.
   */
  listMethods(path: string): string[] {
    const here = this.#routes.filter(
      ({ operation, pattern }) => operation.audience === "everyone" && pattern.test(path),
    );
    const [nearest] = here;
    return here.filter(({ names }) => names.length === nearest?.names.length).map(({ method }) => method);
  }
}

/** Collection roots answer with and without a trailing slash, items do not (api-behaviour 1.3). */
function compile(id: OperationId, operation: Operation): Route {
  const { method, path } = findRoute(id);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]*)")}${names.length > 0 ? "" : "/?"}$`);
  return { id, operation, method, pattern, names };
}
