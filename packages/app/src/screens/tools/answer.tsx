import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignLink } from "../../parts/foreign-link.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { formatBytes } from "../../parts/sizes.ts";
import { t } from "../../words/messages.ts";
import { type AnswerPart, measureBase64, readAnswer } from "./answer-parts.ts";
import type { CallEnd } from "./call-state.ts";

/** Characters of a text that are drawn; the whole can be downloaded. */
const MAX_SHOWN = 100_000;

export function AnswerView({ end }: { readonly end: CallEnd }) {
  const { result, error, ms } = end;
  const { parts, structured, isError } = readAnswer(result);
  return (
    <section className="answer" aria-label={t("tools.answer")}>
      <h3>
        {t("tools.answer")} <span className="quiet">{t("tools.took", { ms })}</span>
      </h3>
      {error !== undefined ? (
        <ProblemView
          problem={{
            message: error.message,
            hint: error.hint,
            code: error.code ?? (error.rpc_code === undefined ? undefined : `JSON-RPC ${error.rpc_code}`),
          }}
        />
      ) : (
        <>
          {isError && <p className="notice notice--bad">{t("tools.failed")}</p>}
          {parts.length === 0 && structured === undefined && <p className="quiet">{t("tools.empty")}</p>}
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer never changes.
            <Part key={index} part={part} />
          ))}
          {structured !== undefined && (
            <details className="more" open={parts.length === 0}>
              <summary>{t("tools.structured")}</summary>
              <LongText text={JSON.stringify(structured, null, 2)} file="answer.json" />
            </details>
          )}
        </>
      )}
    </section>
  );
}

function Part({ part }: { readonly part: AnswerPart }) {
  switch (part.kind) {
    case "text":
      return (
        <div className="answer__part">
          {part.from !== undefined && part.from !== "" && <code className="chip">{part.from}</code>}
          <LongText text={part.text} file="answer.txt" />
        </div>
      );
    case "image":
      return <img className="answer__image" src={dataUrl(part)} alt={t("tools.image", { type: part.type })} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: a server sends none.
      return <audio controls src={dataUrl(part)} aria-label={t("tools.audio", { type: part.type })} />;
    case "file":
      return (
        <p className="answer__part">
          {part.uri !== "" && <code>{part.uri} </code>}
          {t("tools.file", { type: part.type, size: formatBytes(measureBase64(part.data)) })}{" "}
          <Button onClick={() => saveFile("answer.bin", decodeBytes(part.data), "application/octet-stream")}>
            {t("tools.download")}
          </Button>
        </p>
      );
    case "link":
      return (
        <div className="answer__part">
          {part.title !== "" && <p>{part.title}</p>}
          {part.description !== undefined && <p className="quiet">{part.description}</p>}
          <p className="answer__link">
            <ForeignLink url={part.uri} label={t("tools.link")} />
          </p>
        </div>
      );
    case "json":
      return <LongText text={JSON.stringify(part.value, null, 2) ?? ""} file="answer.json" />;
  }
}

/** Text of a server, never HTML; of a long one the beginning, and all of it as a file. */
export function LongText({ text, file }: { readonly text: string; readonly file: string }) {
  const isCut = text.length > MAX_SHOWN;
  return (
    <div className="answer__text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <pre className="source" tabIndex={0}>
        {isCut ? `${text.slice(0, MAX_SHOWN)}…` : text}
      </pre>
      {isCut ? (
        <p className="quiet">
          {t("tools.cut", { size: formatBytes(new Blob([text]).size) })}{" "}
          <Button onClick={() => saveFile(file, text)}>{t("tools.download")}</Button>
        </p>
      ) : (
        <CopyButton text={text} />
      )}
    </div>
  );
}

function dataUrl({ type, data }: { readonly type: string; readonly data: string }): string {
  return `data:${type};base64,${data}`;
}

function decodeBytes(data: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}
