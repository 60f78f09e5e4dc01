/**
 * The menu of a page: its Markdown, a link to the section in view, and the site's own MCP server for the reader's client, by
 * the means of the table that `thv client` has. Keys are those of a menu: arrows, Home, End, first letters, Escape.
 */
import useBaseUrl from "@docusaurus/useBaseUrl";
import { BRAND } from "@toolhive/core/brand";
import { findClient } from "@toolhive/core/client-types";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { copyText } from "./copy-text.ts";

export interface PageMenuProps {
  /** What the menu belongs to. */
  readonly button: RefObject<HTMLButtonElement | null>;
  /** Address of the page as Markdown. */
  readonly twin: string;
  /** Receives the result of copying, and a moment later `undefined`. */
  readonly onResult: (result: "Copied" | "Not copied" | undefined) => void;
  readonly onClose: (isFocusReturned: boolean) => void;
}

interface MenuAction {
  readonly label: string;
  /** A link leads there; all else is copied. */
  readonly action: { readonly address: string } | { readonly copy: () => Promise<string> };
}

/** Milliseconds for which the button shows the result of copying. */
const RESULT_SHOWN_MS = 2000;

/** The clients that are offered, in this order. */
const CLIENT_IDS = ["cursor", "vscode", "claude-code"];

export function PageMenu({ button, twin, onResult, onClose }: PageMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const serverPath = useBaseUrl("/mcp");
  // What was in view when the menu was opened.
  const [section] = useState(findSectionInView);

  useEffect(() => listItems(menu.current)[0]?.focus(), []);
  useEffect(() => {
    const closeFromOutside = ({ target }: PointerEvent) => {
      if (target instanceof Node && !menu.current?.contains(target) && !button.current?.contains(target))
        onClose(false);
    };
    document.addEventListener("pointerdown", closeFromOutside);
    return () => document.removeEventListener("pointerdown", closeFromOutside);
  }, [button, onClose]);

  const server = { name: `${BRAND.docsSegment}-docs`, url: new URL(serverPath, window.location.origin).href };
  const onPage: readonly MenuAction[] = [
    { label: "Copy as Markdown", action: { copy: () => fetchText(twin) } },
    { label: "View as Markdown", action: { address: twin } },
    {
      label: section === undefined ? "Copy link to this page" : `Copy link to “${section.title}”`,
      action: { copy: async () => linkTo(section?.id) },
    },
  ];
  const show = ({ label, action }: MenuAction) =>
    "address" in action ? (
      <a
        key={label}
        role="menuitem"
        tabIndex={-1}
        className="page-menu__item"
        href={action.address}
        onClick={() => onClose(true)}
      >
        {label}
      </a>
    ) : (
      <button
        key={label}
        type="button"
        role="menuitem"
        tabIndex={-1}
        className="clean-btn page-menu__item"
        onClick={() => {
          // Offline or no permission: the page itself, or its Markdown file, can still be copied by hand.
          copyText(action.copy()).then(
            () => showFor(onResult, "Copied"),
            () => showFor(onResult, "Not copied"),
          );
          onClose(true);
        }}
      >
        {label}
      </button>
    );
  return (
    <div
      ref={menu}
      role="menu"
      aria-label="Copy page"
      className="page-menu"
      tabIndex={-1}
      onBlur={({ relatedTarget }) => {
        // The search dialog, for one, opens over it.
        if (relatedTarget && !menu.current?.contains(relatedTarget) && relatedTarget !== button.current) onClose(false);
      }}
      onKeyDown={(event) => moveInMenu(event, menu.current, onClose)}
    >
      {onPage.map(show)}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu. */}
      <div role="group" aria-label="Add these docs to your client" className="page-menu__group">
        <div className="page-menu__title" aria-hidden="true">
          Add these docs to your client
        </div>
        {describeInstalls(server).map(show)}
      </div>
    </div>
  );
}

let lastResult: number | undefined;

/** The menu is closed by then; a result takes the place of the one before. */
function showFor(show: PageMenuProps["onResult"], result: "Copied" | "Not copied"): void {
  show(result);
  window.clearTimeout(lastResult);
  lastResult = window.setTimeout(() => show(undefined), RESULT_SHOWN_MS);
}

function describeInstalls(server: { readonly name: string; readonly url: string }): readonly MenuAction[] {
  return CLIENT_IDS.flatMap((id) => {
    const client = findClient(id);
    const install = client?.install?.(server);
    if (client === undefined || install === undefined) return [];
    return install.kind === "link"
      ? { label: `Add to ${client.name}`, action: { address: install.address } }
      : { label: `Copy command for ${client.name}`, action: { copy: async () => install.command } };
  });
}

async function fetchText(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}.`);
  return await answer.text();
}

function linkTo(sectionId = ""): string {
  const address = new URL(window.location.href);
  address.search = "";
  address.hash = sectionId;
  return address.href;
}

/** How far from the top a heading is at most when the browser has scrolled to it: the navbar and some air, pixels. */
const SCROLLED_TO_PX = 100;

/** @returns The section at the top of the screen; at the top of the page, the one that the reader opened or chose before. */
function findSectionInView(): { readonly id: string; readonly title: string } | undefined {
  const headings = [...document.querySelectorAll<HTMLElement>("article :is(h2, h3)[id]")];
  const heading =
    headings.findLast((each) => each.getBoundingClientRect().top < SCROLLED_TO_PX) ??
    headings.find(({ id }) => `#${id}` === decodeURIComponent(window.location.hash));
  if (heading === undefined) return undefined;
  const title = [...heading.childNodes]
    .filter((part) => !(part instanceof Element && part.classList.contains("hash-link")))
    .map((part) => part.textContent ?? "")
    .join("")
    .trim();
  return { id: heading.id, title };
}

function listItems(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
}

function moveInMenu(event: KeyboardEvent, menu: HTMLElement | null, close: PageMenuProps["onClose"]): void {
  const { key } = event;
  // The browser continues from the button, to which the focus returns.
  if (key === "Tab") close(true);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const items = listItems(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const target = findTarget(key, items, at);
  if (key === "Escape") close(true);
  // A link that is an item of a menu is pressed like the others.
  else if (key === " ") items[at]?.click();
  else if (target !== undefined) target.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function findTarget(key: string, items: readonly HTMLElement[], at: number): HTMLElement | undefined {
  switch (key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items.at(at <= 0 ? -1 : at - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default:
      return [...items.slice(at + 1), ...items.slice(0, at + 1)].find((item) =>
        item.textContent?.toLowerCase().startsWith(key.toLowerCase()),
      );
  }
}
