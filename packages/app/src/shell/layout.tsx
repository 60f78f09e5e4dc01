/** What surrounds every screen: the places at the left, and at the bottom whether ToolHive answers. */
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { needsAttention } from "../parts/status-mark.tsx";
import { useLive } from "../store/live.ts";
import { t } from "../words/messages.ts";
import { Away } from "./away.tsx";

import { Foot } from "./foot.tsx";
// Not loaded when it is opened: what is typed meanwhile would be lost.
import { Palette } from "./palette.tsx";

import { SignIn } from "./sign-in.tsx";

export function Layout() {
  const live = useLive();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useShortcut(() => setPaletteOpen((isOpen) => !isOpen));
  useFocusOnNavigation();
  const all = live.workloads === undefined ? [] : [...live.workloads.values()];
  const attention = all.filter(needsAttention).length;
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t("app.skip")}
      </a>
      <header className="bar">
        <Link to="/" className="bar__brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M26.1 12V9.9L16 4.1 5.9 9.9v12.2L16 27.9l10.1-5.8V20" />
            <path className="bar__mark" d="M16 11.2l4.2 2.4v4.8L16 20.8l-4.2-2.4v-4.8z" />
            <path className="bar__line" d="M20.2 16H30" />
          </svg>
          {t("app.name")}
        </Link>
        <button type="button" className="bar__palette" onClick={() => setPaletteOpen(true)}>
          <span className="bar__long">{t("app.palette")}</span>
          <span className="bar__short">{t("app.search")}</span>
          <kbd>{isMac() ? "⌘K" : "Ctrl K"}</kbd>
        </button>
      </header>
      <nav className="places" aria-label={t("app.places")}>
        <Place to="/" label={t("place.servers")} count={attention === 0 ? undefined : attention} />
        <Place to="/groups" label={t("place.groups")} />
        <Place to="/registry" label={t("place.registry")} />
        <Place to="/clients" label={t("place.clients")} />
        <Place to="/secrets" label={t("place.secrets")} />
        <Place to="/doctor" label={t("place.doctor")} />
        <Place to="/settings" label={t("place.settings")} />
      </nav>
      <main className="content" id="content">
        {live.connection === "away" && <Away since={live.since} />}
        {live.connection === "signed-out" ? <SignIn /> : <Outlet />}
      </main>
      <Foot />
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}

interface PlaceProps {
  readonly to: "/" | "/groups" | "/registry" | "/clients" | "/secrets" | "/doctor" | "/settings";
  readonly label: string;
  /** How many things in it need somebody. */
  readonly count?: number | undefined;
}

function Place({ to, label, count }: PlaceProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isServer = to === "/" && (path.startsWith("/servers/") || path === "/add");
  const isActive = to === "/" ? path === "/" || isServer : path.startsWith(to);
  return (
    <Link to={to} className="place" aria-current={isActive ? "page" : undefined}>
      {label}
      {count !== undefined && (
        <span className="place__count">
          {count}
          <span className="visually-hidden"> {t("servers.attention")}</span>
        </span>
      )}
    </Link>
  );
}

function useShortcut(open: () => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** A screen reader continues to read where the old screen was unless the focus moves to the new one. */
function useFocusOnNavigation(): void {
  // Of what is drawn: the screen of an address that was just chosen may still be on its way.
  const path = useRouterState({ select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    document.querySelector<HTMLElement>("#content h1")?.focus({ preventScroll: true });
  }, [path]);
}

function isMac(): boolean {
  return navigator.platform.startsWith("Mac");
}
