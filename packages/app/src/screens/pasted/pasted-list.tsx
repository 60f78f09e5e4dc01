/** The servers of a pasted text: which of them are added, what was left out, and what to check. */
import { Button } from "../../parts/button.tsx";
import { t } from "../../words/messages.ts";
import type { PastedServers } from "./pasted-servers.ts";

interface PastedListProps {
  readonly pasted: PastedServers;
  readonly isChosen: (name: string) => boolean;
  readonly onChange: (names: readonly string[]) => void;
}

export function PastedList({ pasted: { servers, skipped }, isChosen, onChange }: PastedListProps) {
  const chosen = servers.filter(({ name }) => isChosen(name)).map(({ name }) => name);
  const notes = chosen.length === 1 ? (servers.find(({ name }) => name === chosen[0])?.notes ?? []) : [];
  const texts = [...notes, ...skipped];
  return (
    <>
      {servers.length > 1 && (
        <fieldset className="group">
          <legend>{t("add.pastedServers", { count: servers.length })}</legend>
          {servers.map(({ name, request: { image } }) => (
            <label className="check pasted-server" key={name}>
              <input
                type="checkbox"
                checked={isChosen(name)}
                onChange={({ target: { checked } }) =>
                  onChange(checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                }
              />
              <span>
                {name} <code>{image}</code>
              </span>
            </label>
          ))}
          <div className="notice__actions">
            <Button onClick={() => onChange(servers.map(({ name }) => name))}>{t("add.pastedAll")}</Button>
            <Button onClick={() => onChange([])}>{t("add.pastedNone")}</Button>
          </div>
        </fieldset>
      )}
      {texts.length > 0 && (
        <ul className="plan__warnings">
          {[...new Set(texts)].map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </>
  );
}
