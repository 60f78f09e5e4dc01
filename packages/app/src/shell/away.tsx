import { CommandLine } from "../parts/command-line.tsx";
import { Moment } from "../parts/moment.tsx";
import { t } from "../words/messages.ts";

/** Shown above what was known before. @param since Milliseconds since 1970. */
export function Away({ since }: { readonly since: number }) {
  return (
    <div className="notice notice--bad" role="alert">
      <p>
        <strong>{t("connection.away")}</strong> {t("connection.since")} <Moment at={since} />.{" "}
        {t("connection.awayHint")}
      </p>
      <CommandLine command="thv ui" />
    </div>
  );
}
