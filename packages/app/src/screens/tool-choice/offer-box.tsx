import { t } from "../../words/messages.ts";

interface OfferBoxProps {
  readonly tool: string;
  readonly isOffered: boolean;
  readonly isBusy: boolean;
  /** Whether only one visible tool remains, which cannot be hidden. */
  readonly isLast: boolean;
  readonly onOffer: (tool: string, isOffered: boolean) => void;
}

/** The change is shown once it is saved. A box that is busy or the last one keeps the focus, and does nothing. */
export function OfferBox({ tool, isOffered, isBusy, isLast, onOffer }: OfferBoxProps) {
  const isFixed = isLast && isOffered;
  return (
    <input
      type="checkbox"
      className="offers__box"
      aria-label={t("tools.offer", { name: tool })}
      aria-disabled={isBusy || isFixed || undefined}
      title={isFixed ? t("tools.lastOne") : undefined}
      checked={isOffered}
      onChange={() => {
        if (!isBusy && !isFixed) onOffer(tool, !isOffered);
      }}
    />
  );
}
