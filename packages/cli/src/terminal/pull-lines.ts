/** One line with a bar for each layer of an image that is being pulled. */

interface Layer {
  readonly id: string;
  readonly state: "waiting" | "downloading" | "unpacking" | "done";
  readonly current_bytes: number;
  /** 0 while it is not known. */
  readonly total_bytes: number;
}

/** Layers that are shown; of more, those that are still on their way. */
const MAX_LINES = 8;
const ID_LENGTH = 12;
const MAX_BAR_LENGTH = 30;
/** Columns beside the bar: indent, id, gaps, brackets and `1234.5/1234.5 MB`. */
const BESIDE_BAR = 2 + ID_LENGTH + 4 + 16;

/** @param width Columns; on a narrow terminal the bar goes first. */
export function pullLines(layers: readonly Layer[], width: number): string[] {
  const open = layers.filter(({ state }) => state !== "done");
  const candidates = layers.length <= MAX_LINES ? layers : open;
  const shown = candidates.slice(0, MAX_LINES);
  const hidden = layers.length - shown.length;
  const lines = shown.map((layer) => layerLine(layer, Math.min(MAX_BAR_LENGTH, width - BESIDE_BAR)));
  return hidden > 0 ? [...lines, `  and ${hidden} more`] : lines;
}

function layerLine({ id, state, current_bytes: current, total_bytes: total }: Layer, barLength: number): string {
  const head = `  ${id.slice(0, ID_LENGTH).padEnd(ID_LENGTH)}`;
  if (state !== "downloading" || total === 0) return `${head} ${state}`;
  const bytes = `${megabytes(current)}/${megabytes(total)} MB`;
  if (barLength < 5) return `${head} ${bytes}`;
  const filled = Math.min(barLength, Math.floor((current / total) * barLength));
  return `${head} [${"=".repeat(filled)}${" ".repeat(barLength - filled)}] ${bytes}`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
