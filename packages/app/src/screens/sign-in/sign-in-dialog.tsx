/** A sign-in at a remote server from its beginning to its end: the page to open, or the code to enter, and the result. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { canForget, readProgress, type SignInOffer, toOpenable } from "./sign-in-state.ts";
import { useSignIn } from "./use-sign-in.ts";

type Method = "browser" | "device";

interface SignInDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function SignInDialog({ name, onClose }: SignInDialogProps) {
  const action = useAction();
  const queries = useQueryClient();
  const [method, setMethod] = useState<Method>("browser");
  const [offer, setOffer] = useState<SignInOffer | undefined>();
  const hasBegun = useRef(false);
  const isOpen = useRef(true);
  const found = useSignIn(name, { version: "dialog", isWaiting: true, isEnabled: offer !== undefined });
  const progress = offer === undefined ? undefined : readProgress(offer, found.data);

  const begin = async (next: Method) => {
    setMethod(next);
    setOffer(undefined);
    await action.run(async () => {
      const begun = await call("beginSignIn", { params: { name }, body: { method: next } });
      // What was read before is of another sign-in.
      queries.removeQueries({ queryKey: ["sign-in", name, "dialog"] });
      if (!isOpen.current) return;
      setOffer(begun);
      const page = toOpenable(begun.address);
      // The user opens the page of a code after reading the code.
      if (page !== undefined && begun.user_code === undefined) window.open(page, "_blank", "noopener,noreferrer");
    });
  };
  // A press of the button that shows the dialog starts the sign-in.
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    void begin("browser");
  });
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  useEffect(() => {
    if (progress !== "done") return;
    void queries.invalidateQueries({ queryKey: ["sign-in", name] });
    onClose();
  }, [progress, name, queries, onClose]);
  const close = () => {
    // A sign-in that the user gave up cannot be finished without the user.
    if (progress === "waiting" && canForget(found.data)) {
      void call("endSignIn", { params: { name } }).catch(() => undefined);
    }
    onClose();
  };
  const hasEnded = progress === "failed" || progress === "replaced" || action.problem !== undefined;
  return (
    <Dialog
      title={t("signIn.title", { name })}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t("action.cancel")}</Button>
          <Button isBusy={action.isBusy} onClick={() => void begin(method === "browser" ? "device" : "browser")}>
            {t(method === "browser" ? "signIn.useCode" : "signIn.useBrowser")}
          </Button>
          {hasEnded && (
            <Button look="primary" isBusy={action.isBusy} onClick={() => void begin(method)}>
              {t("action.retry")}
            </Button>
          )}
        </>
      }
    >
      {action.isBusy && <p role="status">{t("signIn.beginning")}</p>}
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      {offer !== undefined && progress === "waiting" && <Waiting offer={offer} />}
      {progress === "failed" && found.data?.login !== undefined && (
        <ProblemView problem={found.data.login.error ?? { message: t("signIn.failed") }} />
      )}
      {progress === "replaced" && <ProblemView problem={{ message: t("signIn.replaced") }} />}
      <CommandLine command={`thv auth login ${name}${method === "device" ? " --device" : ""}`} />
    </Dialog>
  );
}

function Waiting({ offer }: { readonly offer: SignInOffer }) {
  const { address, user_code: code, callback_port: port, expires_at: until } = offer;
  const page = toOpenable(address);
  if (page === undefined) return <ProblemView problem={{ message: t("signIn.noPage", { address }) }} />;
  const { host } = new URL(page);
  return (
    <>
      <p>{t(code === undefined ? "signIn.opened" : "signIn.enterCode", { host })}</p>
      {code !== undefined && (
        <p className="sign-in__code">
          <code>{code}</code>
          <CopyButton text={code} label={t("signIn.copyCode")} />
        </p>
      )}
      <p>
        <a className="button button--primary" href={page} target="_blank" rel="noreferrer noopener">
          {t("signIn.open", { host })}
        </a>
      </p>
      {port !== undefined && <p className="quiet">{t("signIn.callback", { port })}</p>}
      <p role="status">{t("signIn.waiting")}</p>
      <p className="quiet">
        {t("signIn.until")} <Moment at={until} mayBeAhead />
      </p>
    </>
  );
}
