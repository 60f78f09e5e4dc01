import { expect, test } from "vitest";
import { readStarted, rememberStarted } from "./started-digests.ts";

function createStore(text?: string) {
  const items = new Map<string, string>(text === undefined ? [] : [["toolhive.started-sets", text]]);
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
}

test("what was started last under a reference is known, of the last hundred", () => {
  const store = createStore();
  expect(readStarted("oci://a/b:1", store)).toBeUndefined();
  rememberStarted("oci://a/b:1", "sha256:1", store);
  rememberStarted("oci://a/b:1", "sha256:2", store);
  expect(readStarted("oci://a/b:1", store)).toBe("sha256:2");
  for (let index = 0; index < 100; index += 1) rememberStarted(`oci://a/b:x${index}`, "sha256:3", store);
  expect(readStarted("oci://a/b:1", store)).toBeUndefined();
  expect(readStarted("oci://a/b:x0", store)).toBe("sha256:3");
});

test("a damaged store and one that is full are as good as empty", () => {
  for (const text of ["{", "[]", "1", '{"oci://a/b:1": 5}'])
    expect(readStarted("oci://a/b:1", createStore(text))).toBeUndefined();
  const full = {
    ...createStore(),
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  expect(() => rememberStarted("oci://a/b:1", "sha256:1", full)).not.toThrow();
});
