/**
 * A picture with a version for each colour mode, its size known before it loads, that opens enlarged when pressed.
 */
import useBaseUrl from "@docusaurus/useBaseUrl";
import { useRef } from "react";

export interface PictureProps {
  readonly light: string;
  readonly dark: string;
  /** Says what the reader should learn from it. */
  readonly alt: string;
  readonly width: number;
  readonly height: number;
}

/** What a picture has of the window's width: the column of the text is at most this wide. */
const COLUMN = "(max-width: 996px) 100vw, 760px";
/** The same of the enlarged one, which a reader with a phone moves under the screen. */
const WHOLE = "(max-width: 600px) 48rem, 72rem";

export function Picture({ light, dark, alt, width, height }: PictureProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const sources = { light: useBaseUrl(light), dark: useBaseUrl(dark) };
  const images = (text: string, sizes: string) =>
    (["light", "dark"] as const).map((mode) => (
      <img
        key={mode}
        className={`picture__image picture__image--${mode}`}
        src={sources[mode]}
        {...(isScreenshot(light) ? { srcSet: listWidths(sources[mode], width), sizes } : {})}
        alt={text}
        width={width}
        height={height}
        loading="lazy"
        decoding="async"
      />
    ));
  return (
    <figure className={isScreenshot(light) ? "picture picture--screen" : "picture"}>
      <button type="button" className="clean-btn picture__open" onClick={() => dialog.current?.showModal()}>
        {images(alt, COLUMN)}
        <span className="picture__hint">Enlarge</span>
      </button>
      <dialog ref={dialog} className="picture__dialog" aria-label={alt} data-search-exclude="">
        <form method="dialog">
          <button type="submit" className="button button--secondary button--sm">
            Close
          </button>
        </form>
        <div className="picture__whole">{images("", WHOLE)}</div>
      </dialog>
    </figure>
  );
}

/** A picture of the application has two pixels for each CSS pixel; `packages/app/e2e/pictures.ts` puts one with half of them beside it. */
function listWidths(file: string, width: number): string {
  return `${file.replace(/\.webp$/, `-${width}.webp`)} ${width}w, ${file} ${2 * width}w`;
}

/** A drawing is part of the page; a picture of the application needs a frame, because both have the same background. */
function isScreenshot(file: string): boolean {
  return file.endsWith(".webp");
}
