import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { t } from "../../words/messages.ts";
import { LongText } from "./answer.tsx";
import { type CallMessage, describeMessage } from "./call-state.ts";

/** Messages that are listed; all of them are in the download. */
const MAX_LISTED = 200;

/** The protocol's own messages, for finding faults. */
export function MessagesView({ messages }: { readonly messages: readonly CallMessage[] }) {
  const listed = messages.slice(-MAX_LISTED);
  return (
    <section className="messages" aria-label={t("tools.messages")}>
      <h3>{t("tools.messages")}</h3>
      <p className="quiet">{t("tools.messagesHint")}</p>
      {listed.length < messages.length && (
        <p className="quiet">{t("tools.messagesEarlier", { count: messages.length - listed.length })}</p>
      )}
      <ol className="messages__list">
        {listed.map((each) => (
          <Message key={each.id} message={each} />
        ))}
      </ol>
      {messages.length > 0 && (
        <Button onClick={() => saveFile("messages.json", JSON.stringify(messages, null, 2), "application/json")}>
          {t("tools.download")}
        </Button>
      )}
    </section>
  );
}

function Message({ message: { direction, at, message } }: { readonly message: CallMessage }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={`messages__way messages__way--${direction}`}>
            {t(direction === "out" ? "tools.sent" : "tools.received")}
          </span>{" "}
          <code>{describeMessage(message)}</code>{" "}
          <time dateTime={at} className="quiet">
            {new Date(at).toLocaleTimeString("en-GB")}.{at.slice(20, 23)}
          </time>
        </summary>
        {isOpen && <LongText text={JSON.stringify(message, null, 2)} file="message.json" />}
      </details>
    </li>
  );
}
