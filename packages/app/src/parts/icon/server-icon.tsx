/** The icon of a server: the image that it brings, and otherwise its first letters on a colour that its name always has. */
import { type CSSProperties, useState } from "react";
import { drawIcon } from "./drawn-icon.ts";

interface ServerIconProps {
  /** Of a server, or of a registry entry: `fetch`, `io.github.someone/fetch`. */
  readonly name: string;
  /** Address of an image that the page may load. It gives way to the drawn icon when it cannot be loaded. Default: none. */
  readonly src?: string | undefined;
  /** `large` beside a heading. Default `small`. */
  readonly size?: "small" | "large";
}

/** For eyes only: the name stands beside it. */
export function ServerIcon({ name, src, size = "small" }: ServerIconProps) {
  const [failed, setFailed] = useState<string>();
  const look = `server-icon server-icon--${size}`;
  if (src !== undefined && src !== failed) {
    return <img className={look} src={src} alt="" loading="lazy" decoding="async" onError={() => setFailed(src)} />;
  }
  const { letters, hue } = drawIcon(name);
  return (
    <svg className={look} viewBox="0 0 32 32" aria-hidden="true" style={{ "--icon-hue": hue } as CSSProperties}>
      <rect width="32" height="32" rx="7" />
      <text x="16" y="16" dy="0.36em" textAnchor="middle">
        {letters}
      </text>
    </svg>
  );
}
