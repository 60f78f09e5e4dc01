/** The input of the search modal, for what types into it in a reader's place. */
export const SEARCH_INPUT = ".DocSearch-Input";

/** Types into the modal's input, which React watches: it sees a value only through the element's own setter. */
export function changeSearchInput(change: (input: HTMLInputElement) => string): void {
  const input = document.querySelector<HTMLInputElement>(SEARCH_INPUT);
  if (input === null) return;
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  setter?.call(input, change(input));
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.focus();
}

/** What is in the modal's input; nothing while it is closed. */
export function readSearchInput(): string {
  return document.querySelector<HTMLInputElement>(SEARCH_INPUT)?.value ?? "";
}
