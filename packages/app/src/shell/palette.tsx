/** Everything by its name: places, servers and what can be done with them. */
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useLive } from "../store/live.ts";
import { useDocs } from "../store/system.ts";
import { t } from "../words/messages.ts";
import { findEntries, listDocs, listEntries } from "./palette-entries.ts";

/** Entries shown at once. */
const MAX_SHOWN = 50;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const navigate = useNavigate();
  const { workloads } = useLive();
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const entries = useMemo(() => listEntries([...(workloads?.values() ?? [])]), [workloads]);
  const locate = useDocs();
  const found = useMemo(() => [...findEntries(entries, text).slice(0, MAX_SHOWN), ...listDocs(text)], [entries, text]);
  const active = Math.min(index, found.length - 1);

  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active, id]);

  const choose = (position: number) => {
    const entry = found[position];
    if (entry === undefined) return;
    onClose();
    if (entry.run !== undefined) void entry.run();
    if (entry.to !== undefined) void navigate({ to: entry.to });
    const address = entry.docs === undefined ? undefined : locate(entry.docs);
    if (address !== undefined) window.open(address, "_blank", "noopener,noreferrer");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setIndex((active + step + found.length) % found.length);
    else if (event.key === "Enter") choose(active);
    else return;
    event.preventDefault();
  };

  return (
    <dialog ref={dialog} className="palette" aria-label={t("app.palette")} onClose={onClose}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        aria-label={t("app.palette")}
        placeholder={t("app.palette")}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" className="palette__list" aria-label={t("app.palette")}>
        {found.map((entry, position) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are read by the field, which keeps the focus.
          <div
            key={entry.title}
            id={`${id}-${position}`}
            role="option"
            tabIndex={-1}
            aria-selected={position === active}
            className="palette__entry"
            onClick={() => choose(position)}
          >
            <span>{entry.title}</span>
            <span className="palette__kind">{entry.kind}</span>
          </div>
        ))}
      </div>
    </dialog>
  );
}
