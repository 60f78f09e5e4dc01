/**
 * A browser beside Chromium, as a reader uses it. Playwright drives the system's Firefox and cannot drive the system's
 * WebKit: the ways of readers are written once, in terms of what both can do.
 */

/** Names of `KeyboardEvent.key`, with `Control+` or `Shift+` in front. */
export type Key = "Enter" | "Escape" | "ArrowDown" | "Tab" | "/" | "Control+k" | "Control+v";

export interface BrowserTab {
  /** Goes to a path of the site and waits until its scripts have taken over. */
  open(path: string): Promise<void>;
  press(key: Key): Promise<void>;
  type(text: string): Promise<void>;
  /** Clicks the first element that fits, as a pointer does. */
  click(selector: string): Promise<void>;
  /** Moves the pointer over the first element that fits. */
  hover(selector: string): Promise<void>;
  /** @param expression In the page, of a value that JSON can carry. */
  read<T>(expression: string): Promise<T>;
  resize(width: number, height: number): Promise<void>;
  /** A picture of the screen. @returns A PNG, in base64. */
  takePicture(): Promise<string>;
}

export interface OtherBrowser {
  newTab(): Promise<BrowserTab>;
  /** What the browser's console showed in any tab, and what the policy forbade. */
  notices(): readonly string[];
  /** Paths that were requested of the site, in order. */
  requests(): readonly string[];
  close(): Promise<void>;
}

/** What starts slowly, once for all tests. */
export interface LaunchedBrowser {
  /** @param origin Of the site. @returns A browser that has nothing of an earlier test. */
  start(origin: string): Promise<OtherBrowser>;
  close(): Promise<void>;
}
