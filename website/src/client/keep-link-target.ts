/**
 * Keeps the target of a link within a long page in its place. The boxes of such a page get their true height when they are near
 * the screen (`.deferred-layout`), which is after the browser has scrolled to the target.
 */
interface RouteUpdate {
  readonly location: { readonly hash: string };
}

/** The boxes above a target, and what they bring near the screen, have been laid out after that many pictures. */
const MAX_FRAMES = 30;
/** What readers do to be elsewhere. */
const OWN_MOVES = ["wheel", "touchstart", "keydown", "pointerdown"] as const;

/** Called by the framework when a page has been put into the document, and for each new fragment; it scrolls to the target. */
export function onRouteDidUpdate({ location }: RouteUpdate): void {
  const target = document.getElementById(location.hash.slice(1));
  if (target && document.querySelector(".deferred-layout")) keepInPlace(target);
}

/** Until nothing moves any more, or the reader does. */
function keepInPlace(target: Element): void {
  let frames = 0;
  let still = 0;
  const reader = new AbortController();
  for (const move of OWN_MOVES)
    addEventListener(move, () => reader.abort(), { signal: reader.signal, passive: true, capture: true });
  const look = () => {
    if (reader.signal.aborted) return;
    const before = target.getBoundingClientRect().top;
    target.scrollIntoView({ behavior: "instant" });
    still = Math.abs(target.getBoundingClientRect().top - before) < 1 ? still + 1 : 0;
    frames += 1;
    if (still < 3 && frames < MAX_FRAMES) requestAnimationFrame(look);
    else reader.abort();
  };
  requestAnimationFrame(look);
}
