/** What a unit test could change in its process for the files that run in it later. */

export type ProcessState = ReadonlyMap<string, unknown>;

/** Methods and properties that tests replace, or set as programs do. */
const PROCESS_PROPERTIES = [
  "argv",
  "arch",
  "emit",
  "emitWarning",
  "execPath",
  "exit",
  "exitCode",
  "kill",
  "platform",
] as const;
const CONSOLE_METHODS = ["debug", "error", "info", "log", "warn"] as const;
const STREAM_PROPERTIES = ["columns", "isTTY", "write"] as const;

/** New globals that make libraries believe that they run in a browser. Others that libraries add are theirs alone. */
const BROWSER_GLOBALS = ["document", "localStorage", "location", "self", "window"];
const GLOBALS = [...Object.keys(Object.getOwnPropertyDescriptors(globalThis)), ...BROWSER_GLOBALS];

/** Stands for a global that Node loads when it is first used. */
const LOADED_ON_USE = Symbol("loaded on use");

export function readProcessState(): ProcessState {
  const state = new Map<string, unknown>();
  for (const [name, value] of Object.entries(process.env)) state.set(`process.env.${name}`, value);
  state.set("the working directory", process.cwd());
  state.set("the umask", process.umask());
  for (const event of process.eventNames()) {
    state.set(`the listeners of "${String(event)}" of process`, process.listenerCount(event));
  }
  for (const name of PROCESS_PROPERTIES) state.set(`process.${name}`, process[name]);
  for (const name of STREAM_PROPERTIES) {
    state.set(`process.stdout.${name}`, process.stdout[name]);
    state.set(`process.stderr.${name}`, process.stderr[name]);
  }
  for (const name of CONSOLE_METHODS) state.set(`console.${name}`, console[name]);
  for (const name of GLOBALS) {
    const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    state.set(`globalThis.${name}`, get === undefined ? value : LOADED_ON_USE);
  }
  return state;
}

/** @returns Sorted names of what was added, changed or removed. */
export function listChanges(before: ProcessState, after: ProcessState): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== LOADED_ON_USE && !Object.is(before.get(name), after.get(name)))
    .sort();
}
