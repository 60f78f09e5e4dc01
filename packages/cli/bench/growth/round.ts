/** Three digits. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}
