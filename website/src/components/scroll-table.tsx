/** Tables of pages: they scroll inside their own box on narrow screens, and their corner may be empty. */
import type { ComponentProps } from "react";

export function ScrollTable(props: ComponentProps<"table">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard.
    <div className="scroll-table" tabIndex={0}>
      <table {...props} />
    </div>
  );
}

/** A head cell without text is the corner of a table and heads nothing. */
export function HeadCell({ children, ...props }: ComponentProps<"th">) {
  return children ? <th {...props}>{children}</th> : <td {...props} />;
}

/** The box of a task list, which shows a state and takes none. */
export function TaskBox(props: ComponentProps<"input">) {
  return <input {...props} aria-label={props.checked ? "Done" : "Not done"} />;
}
