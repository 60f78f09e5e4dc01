/** Which objects name which others, whether these exist or not. Objects are called by their keys. */
export class UserIndex {
  readonly #users = new Map<string, Set<string>>();

  /** @returns What names an object. */
  list(named: string): ReadonlySet<string> {
    return this.#users.get(named) ?? NONE;
  }

  /** From now on an object names other ones than before. */
  replace(user: string, before: readonly string[], after: readonly string[]): void {
    for (const named of before) {
      const users = this.#users.get(named);
      users?.delete(user);
      if (users?.size === 0) this.#users.delete(named);
    }
    for (const named of after) {
      const users = this.#users.get(named) ?? new Set();
      this.#users.set(named, users.add(user));
    }
  }
}

const NONE: ReadonlySet<string> = new Set();
