import type { ButtonHTMLAttributes, ReactNode } from "react";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className" | "type"> {
  readonly look?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** The work that the button began is under way: the button stays and cannot be pressed again. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

export function Button({ look = "plain", type = "button", isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`button button--${look}`}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
    >
      {children}
    </button>
  );
}
