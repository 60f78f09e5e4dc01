/** A tab's panel that knows the name of its tab: on paper all panels of a group are shown, each below its name. */
import type { Props } from "@theme/TabItem";

export default function TabItem({ children, hidden, className, label, value }: Props) {
  return (
    <div role="tabpanel" className={`tab-panel ${className ?? ""}`} data-tab={label ?? value} {...{ hidden }}>
      {children}
    </div>
  );
}
