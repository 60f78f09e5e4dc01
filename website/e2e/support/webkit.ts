/**
 * The system's WebKit: the browser of WebKitGTK on a display of its own, driven by WebDriver. The few commands that are
 * needed are sent here: no client library is worth its size for them.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { listen } from "@toolhive/http";
import type { BrowserTab, Key, LaunchedBrowser, OtherBrowser } from "./other-browser.ts";
import { recordSite } from "./recorded-site.ts";

const DRIVER = "/usr/bin/WebKitWebDriver";
const DISPLAY_SERVER = "/usr/bin/Xvfb";
const BROWSER = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;

/** Why it cannot be tried here, for a title; empty when it can. */
export const WEBKIT_IS_MISSING = [DRIVER, DISPLAY_SERVER, BROWSER]
  .filter((file) => !existsSync(file))
  .map((file) => `left out: there is no ${file}`)
  .slice(0, 1)
  .join("");

/** Milliseconds in which a driver has opened a browser; on a busy machine it takes 2,000. */
const SESSION_TIMEOUT_MS = 30_000;
/** A driver now and then waits without end for a browser that it started, so another driver starts another browser. */
const ATTEMPTS = 3;

type Child = ChildProcessByStdio<null, Readable, null>;

/**
 * Starts a display. Each browser on it has a driver of its own.
 *
 * @param home A folder for what the browser would write into the user's.
 */
export async function launchWebkit(home: string): Promise<LaunchedBrowser> {
  const runtime = path.join(home, "runtime");
  mkdirSync(runtime, { mode: 0o700 });
  const display = spawn(DISPLAY_SERVER, ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [number] = (await once(display.stdout, "data")) as [Buffer];
    const env = {
      ...process.env,
      DISPLAY: `:${number.toString().trim()}`,
      HOME: home,
      XDG_RUNTIME_DIR: runtime,
      // Settings of a desktop would need its services.
      GSETTINGS_BACKEND: "memory",
      GTK_A11Y: "none",
    };
    return { start: (origin) => startWebkit(env, origin), close: () => endChild(display) };
  } catch (error) {
    await endChild(display);
    throw error;
  }
}

interface Driver {
  readonly address: string;
  /** Ends the browser, too. */
  close(): Promise<void>;
}

async function startDriver(env: NodeJS.ProcessEnv): Promise<Driver> {
  const port = await findFreePort();
  const driver = spawn(DRIVER, [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: ["ignore", "pipe", "ignore"],
    env,
    // With its browser in a group of processes, so that a browser that does not answer ends with it.
    detached: true,
  });
  const close = async () => {
    await endChild(driver);
    try {
      if (driver.pid !== undefined) process.kill(-driver.pid, "SIGKILL");
    } catch {
      // Its browser has ended.
    }
  };
  try {
    const address = `http://127.0.0.1:${port}`;
    await untilItAnswers(`${address}/status`, driver);
    return { address, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A port that was free a moment ago: the driver does not say which one it chose. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilItAnswers(address: string, driver: Child): Promise<void> {
  while (driver.exitCode === null) {
    try {
      await fetch(address);
      return;
    } catch {
      await delay(50); // it does not listen yet
    }
  }
  throw new Error(`${DRIVER} ended with code ${driver.exitCode} before it listened.`);
}

async function endChild(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/** Key codes of WebDriver. */
const KEYS: Readonly<Record<string, string>> = {
  Control: "\uE009",
  Enter: "\uE007",
  Escape: "\uE00C",
  ArrowDown: "\uE015",
  Tab: "\uE004",
};

/** How WebDriver names an element in its answers. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

interface Session {
  readonly send: <T>(method: "GET" | "POST" | "DELETE", path: string, body?: object) => Promise<T>;
}

async function startWebkit(env: NodeJS.ProcessEnv, origin: string): Promise<OtherBrowser> {
  const site = await recordSite(origin);
  const { driver, session } = await openBrowser(env).catch(async (error: unknown) => {
    await site.close();
    throw error;
  });
  let tabs = 0;
  return {
    async newTab() {
      const handle =
        tabs++ === 0
          ? await session.send<string>("GET", "/window")
          : // In a tab behind another one nothing would happen.
            (await session.send<{ handle: string }>("POST", "/window/new", { type: "window" })).handle;
      const tab = wrapTab(
        {
          async send(...command) {
            await session.send("POST", "/window", { handle });
            return await session.send(...command);
          },
        },
        site.origin,
      );
      await tab.resize(1280, 900);
      return tab;
    },
    notices: () => site.notices,
    requests: () => site.requests,
    async close() {
      await session.send("DELETE", "");
      await driver.close();
      await site.close();
    },
  };
}

/** @throws {Error} Of the last attempt. */
async function openBrowser(env: NodeJS.ProcessEnv, attempts = ATTEMPTS): Promise<{ driver: Driver; session: Session }> {
  const driver = await startDriver(env);
  try {
    return { driver, session: await openSession(driver.address) };
  } catch (error) {
    await driver.close();
    if (attempts === 1) throw error;
    return await openBrowser(env, attempts - 1);
  }
}

async function openSession(driver: string): Promise<Session> {
  const send = async <T>(method: string, url: string, body?: object, signal?: AbortSignal): Promise<T> => {
    const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) });
    const { value } = (await answer.json()) as { value: T };
    if (!answer.ok) throw new Error(`WebKit did not do ${method} ${url}: ${JSON.stringify(value)}`);
    return value;
  };
  const options = { binary: BROWSER, args: ["--automation"] };
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": options } };
  const signal = AbortSignal.timeout(SESSION_TIMEOUT_MS);
  const { sessionId } = await send<{ sessionId: string }>("POST", `${driver}/session`, { capabilities }, signal);
  return { send: (method, command, body) => send(method, `${driver}/session/${sessionId}${command}`, body) };
}

function wrapTab({ send }: Session, origin: string): BrowserTab {
  const read = <T>(expression: string) =>
    send<T>("POST", "/execute/sync", { script: `return (${expression})`, args: [] });
  const until = async (expression: string) => {
    while (!(await read<boolean>(expression))) await delay(50);
  };
  const find = async (selector: string) => {
    await until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
    const element = await send<Record<string, string>>("POST", "/element", { using: "css selector", value: selector });
    return { element, id: element[ELEMENT] };
  };
  const act = (type: "key" | "pointer", actions: readonly object[]) =>
    send<void>("POST", "/actions", { actions: [{ type, id: type, actions }] });
  return {
    async open(path) {
      await send("POST", "/url", { url: origin + path });
      await until('document.documentElement.dataset.hasHydrated === "true"');
    },
    press: (key) => act("key", listPresses(key)),
    type: (text) => act("key", [...text].flatMap(listPresses)),
    async click(selector) {
      const { id } = await find(selector);
      await send("POST", `/element/${id}/click`, {});
    },
    async hover(selector) {
      const { element } = await find(selector);
      await act("pointer", [{ type: "pointerMove", x: 0, y: 0, origin: element }]);
    },
    read,
    async resize(width, height) {
      // The size is that of the window, with the browser's own bars.
      const bars = await read<readonly [number, number]>("[outerWidth - innerWidth, outerHeight - innerHeight]");
      await send("POST", "/window/rect", { width: width + bars[0], height: height + bars[1] });
    },
    takePicture: () => send<string>("GET", "/screenshot"),
  };
}

/** @param key A character, or a name with others before it that are held. */
function listPresses(key: Key | string): readonly object[] {
  const names = key.length > 1 ? key.split("+") : [key];
  const values = names.map((name) => KEYS[name] ?? name);
  return [
    ...values.map((value) => ({ type: "keyDown", value })),
    ...values.reverse().map((value) => ({ type: "keyUp", value })),
  ];
}
