/** A bar chart as a picture of its own: a row for each bar, with its name above it and its value at its end. */

const WIDTH = 400;
const ROW = 44;
const BAR = 14;
/** Room for the value behind the longest bar. */
const VALUE = 100;
const TOP = 4;
const COLOURS = {
  light: { ink: "#1b1d1f", soft: "#4d5052", ours: "#d99000", other: "#b9b5a8" },
  dark: { ink: "#f0eee8", soft: "#bdbcb5", ours: "#f2b544", other: "#565b60" },
} as const;

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** As it is printed, with its unit. */
  readonly text: string;
  readonly isOurs: boolean;
}

export function sizeOfBars(bars: readonly Bar[]): { readonly width: number; readonly height: number } {
  return { width: WIDTH, height: TOP + bars.length * ROW };
}

/** What the picture shows, in a sentence for readers who do not see it. */
export function describeBars(bars: readonly Bar[]): string {
  return `${bars.map(({ name, text }) => `${name}: ${text}`).join("; ")}.`;
}

/** @param title Names the quantity. Bars begin at zero. */
export function barPicture(title: string, bars: readonly Bar[], mode: keyof typeof COLOURS): string {
  const { ink, soft, ours, other } = COLOURS[mode];
  const { width, height } = sizeOfBars(bars);
  const longest = Math.max(...bars.map(({ value }) => value));
  const rows = bars.map(({ name, value, text, isOurs }, index) => {
    const y = TOP + index * ROW;
    const length = Math.max(2, Math.round(((WIDTH - VALUE) * value) / longest));
    const label = `<text x="0" y="${y + 14}" fill="${isOurs ? ink : soft}"${isOurs ? ' font-weight="600"' : ""}>${name}</text>`;
    const bar = `<rect x="0" y="${y + 20}" width="${length}" height="${BAR}" rx="3" fill="${isOurs ? ours : other}"/>`;
    return `${label}${bar}<text x="${length + 8}" y="${y + 32}" fill="${ink}">${text}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="'Instrument Sans', system-ui, sans-serif" font-size="14"><title>${title}</title><desc>${describeBars(bars)}</desc>${rows.join("")}</svg>
`;
}
