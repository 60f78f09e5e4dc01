import { describe, expect, onTestFinished, test } from "vitest";
import { listChanges, readProcessState } from "./process-state.ts";

const findChanges = (change: () => void): string[] => {
  const before = readProcessState();
  change();
  return listChanges(before, readProcessState());
};

describe("of what a file changes in its process", () => {
  test("nothing is found where nothing was changed", () => {
    expect(findChanges(() => undefined)).toEqual([]);
  });

  test("a variable that was set, and one that is gone", () => {
    const { PATH } = process.env;
    onTestFinished(() => {
      process.env.PATH = PATH;
      delete process.env.TOOLHIVE_LEFT;
    });
    const changes = findChanges(() => {
      process.env.TOOLHIVE_LEFT = "1";
      delete process.env.PATH;
    });

    expect(changes).toEqual(["process.env.PATH", "process.env.TOOLHIVE_LEFT"]);
  });

  test("a listener of the process", () => {
    const listener = () => undefined;
    onTestFinished(() => void process.off("SIGWINCH", listener));

    expect(findChanges(() => process.on("SIGWINCH", listener))).toEqual(['the listeners of "SIGWINCH" of process']);
  });

  test("a function of this process, and a global that only browsers have", () => {
    const { fetch } = globalThis;
    const { write } = process.stdout;
    onTestFinished(() => {
      globalThis.fetch = fetch;
      process.stdout.write = write;
      Reflect.deleteProperty(globalThis, "window");
    });
    const changes = findChanges(() => {
      globalThis.fetch = async () => new Response();
      process.stdout.write = () => true;
      Object.assign(globalThis, { window: {} });
    });

    expect(changes).toEqual(["globalThis.fetch", "globalThis.window", "process.stdout.write"]);
  });

  test("the working directory and the umask", () => {
    const directory = process.cwd();
    const umask = process.umask();
    onTestFinished(() => {
      process.chdir(directory);
      process.umask(umask);
    });
    const changes = findChanges(() => {
      process.chdir("/");
      process.umask(umask ^ 0o001);
    });

    expect(changes).toEqual(["the umask", "the working directory"]);
  });

  test("no global of a library's own", () => {
    onTestFinished(() => void Reflect.deleteProperty(globalThis, "aLibrary"));

    expect(findChanges(() => void Object.assign(globalThis, { aLibrary: {} }))).toEqual([]);
  });

  test("no global that Node has loaded because it was used", () => {
    expect(findChanges(() => void new TextDecoderStream())).toEqual([]);
  });
});
