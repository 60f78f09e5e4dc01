/** A table that scrolls inside its own box on narrow screens, reachable with the keyboard. */
import type { ComponentProps } from "react";

export function ScrollTable(props: ComponentProps<"table">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard.
    <section className="scroll-table" aria-label="Table" tabIndex={0}>
      <table {...props} />
    </section>
  );
}
