import { type ReactNode, useEffect, useId, useRef } from "react";
import { t } from "../words/messages.ts";
import { Button } from "./button.tsx";
import { CommandLine } from "./command-line.tsx";
import { type Problem, ProblemView } from "./problem-view.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The buttons, the one that changes something last. */
  readonly actions: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div>{children}</div>
      <div className="dialog__actions">{actions}</div>
    </dialog>
  );
}

interface ActionDialogProps {
  readonly title: string;
  /** What the dialog is for. */
  readonly action: { readonly isBusy: boolean; readonly problem: Problem | undefined };
  /** On the button that does it; absent while it cannot be done. */
  readonly label: string | undefined;
  readonly look?: "primary" | "danger";
  /** Absent where the button submits a form. */
  readonly onConfirm?: () => Promise<void>;
  /** Id of the form that the button submits. */
  readonly form?: string;
  readonly onCancel: () => void;
  /** The command that does the same. */
  readonly command: string;
  readonly children: ReactNode;
}

/** A dialog with one button that changes something, and one that closes it. */
export function ActionDialog(props: ActionDialogProps) {
  const { title, action, label, look = "primary", onConfirm, form, onCancel, command, children } = props;
  return (
    <Dialog
      title={title}
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>{t("action.cancel")}</Button>
          {label !== undefined && (
            <Button
              look={look}
              type={form === undefined ? "button" : "submit"}
              form={form}
              isBusy={action.isBusy}
              onClick={() => void onConfirm?.()}
            >
              {label}
            </Button>
          )}
        </>
      }
    >
      {children}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      <CommandLine command={command} />
    </Dialog>
  );
}
