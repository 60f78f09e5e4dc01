import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { open, readLines } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { CheckBox, SearchBox } from "../../parts/field.tsx";
import { type Problem, ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { Segments } from "../../parts/segments.tsx";
import { t } from "../../words/messages.ts";
import {
  appendLines,
  filterLines,
  isTrouble,
  type LogLine,
  parseLine,
  SELECTIONS,
  type Selection,
} from "./log-lines.ts";

/** Lines asked for at first. */
const TAIL = "2000";
const LINE_HEIGHT = 20;
/** Milliseconds before the stream is opened again after it ended. */
const REOPEN_MS = 1_000;

export function Logs({ name }: { readonly name: string }) {
  const { lines, problem } = useLogLines(name);
  const [filter, setFilter] = useState("");
  const [selection, setSelection] = useState<Selection>("all");
  const [isFollowing, setFollowing] = useState(true);
  const deferred = useDeferredValue(filter);
  const shown = useMemo(() => filterLines(lines, deferred, selection), [lines, deferred, selection]);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  useLayoutEffect(() => {
    if (isFollowing && shown.length > 0) rows.scrollToIndex(shown.length - 1, { align: "end" });
  }, [isFollowing, shown.length, rows]);
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    setFollowing(scrollHeight - scrollTop - clientHeight < 2 * LINE_HEIGHT);
  };
  const text = () => shown.map(({ at, source, text: line }) => `${at ?? "-"} ${source} ${line}\n`).join("");
  return (
    <>
      <div className="tools">
        <SearchBox label={t("logs.filter")} text={filter} onChange={setFilter} />
        <Segments
          label={t("logs.show")}
          value={selection}
          options={SELECTIONS.map((value) => ({ value, label: t(`logs.${value}`) }))}
          onChange={setSelection}
        />
        <CheckBox label={t("logs.follow")} checked={isFollowing} onChange={setFollowing} />
        <CopyButton text={text} />
        <Button onClick={() => saveFile(`${name}.log`, text())}>{t("logs.download")}</Button>
        <p className="tools__count">{t("logs.lines", { shown: shown.length, total: lines.length })}</p>
      </div>
      {problem !== undefined && <ProblemView problem={problem} />}
      {lines.length === 0 && problem === undefined && <p className="quiet">{t("logs.empty")}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <div ref={box} className="log" role="log" aria-label={t("logs.title", { name })} tabIndex={0} onScroll={onScroll}>
        <div className="log__all" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start, key }) => (
            <Line key={key} line={shown[index]} top={start} index={index} measure={rows.measureElement} />
          ))}
        </div>
      </div>
      <CommandLine command={`thv logs --follow ${name}`} />
    </>
  );
}

interface LineProps {
  readonly line: LogLine | undefined;
  readonly top: number;
  readonly index: number;
  readonly measure: (element: HTMLElement | null) => void;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** Drawn once, however often the log scrolls while it is in sight. */
const Line = memo(function Line({ line, top, index, measure }: LineProps) {
  if (line === undefined) return null;
  return (
    <div
      ref={measure}
      data-index={index}
      className={isTrouble(line) ? "log__line log__line--trouble" : "log__line"}
      style={{ transform: `translateY(${top}px)` }}
    >
      <time dateTime={line.at} className="log__time">
        {line.at === undefined ? "" : CLOCK.format(new Date(line.at))}
      </time>
      <span className="log__source">{line.source === "proxy" && t("logs.proxyLine")}</span>
      <span className="log__text">{line.text}</span>
    </div>
  );
});

/** Follows both logs, and opens the stream again when it ends, for example because the server is started again. */
function useLogLines(name: string): { readonly lines: readonly LogLine[]; readonly problem: Problem | undefined } {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [problem, setProblem] = useState<Problem | undefined>();
  useEffect(() => {
    const controller = new AbortController();
    let id = 0;
    let last = "";
    let frame = 0;
    let waiting: LogLine[] = [];
    const flush = () => {
      frame = 0;
      const added = waiting;
      waiting = [];
      setLines((kept) => appendLines(kept, added));
    };
    const read = async () => {
      const begin = last;
      const query = last === "" ? { follow: "true", tail: TAIL } : { follow: "true", since: last };
      const response = await open("watchWorkloadLogs", { params: { name }, query, signal: controller.signal });
      setProblem(undefined);
      for await (const text of readLines(response)) {
        id += 1;
        const line = parseLine(text, id);
        // The stream begins again with the moment of the last line.
        if (line.at !== undefined && line.at <= begin) continue;
        if (line.at !== undefined && line.at > last) last = line.at;
        waiting.push(line);
        if (frame === 0) frame = requestAnimationFrame(flush);
      }
    };
    const follow = async () => {
      while (!controller.signal.aborted) {
        await read().catch((error: unknown) => {
          if (!controller.signal.aborted) setProblem(toProblem(error));
        });
        await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
      }
    };
    void follow();
    return () => {
      controller.abort();
      cancelAnimationFrame(frame);
    };
  }, [name]);
  return { lines, problem };
}
