/** How many tools clients see, the way to offer one by its name, and the way back to all of them. */
import { quoteWord } from "@toolhive/http/values";
import { type FormEvent, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { t } from "../../words/messages.ts";
import { allowAllTools, allowTool, type ChoiceRow, countChoices, isNarrowed } from "./tool-choice.ts";
import type { ToolChoiceControl } from "./use-tool-choice.ts";

interface ChoiceNotesProps {
  /** As commands name it: a server, or with `--group` a group. */
  readonly owner: string;
  readonly isGroup?: boolean;
  readonly rows: readonly ChoiceRow[];
  readonly control: ToolChoiceControl;
}

export function ChoiceNotes({ owner, isGroup = false, rows, control }: ChoiceNotesProps) {
  const { chosen, action, change } = control;
  const [name, setName] = useState("");
  if (chosen === undefined) return null;
  if (!isNarrowed(chosen)) {
    return (
      <>
        <p className="quiet" role="status">
          {t(isGroup ? "groups.offeredAll" : "tools.offeredAll")}
        </p>
        {action.problem !== undefined && <ProblemView problem={action.problem} />}
      </>
    );
  }
  const offer = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === "" || action.isBusy) return;
    if (await change((saved) => allowTool(saved, wanted))) setName("");
  };
  return (
    <>
      <p className="quiet" role="status">
        {t("tools.offered", countChoices(rows))} {t(isGroup ? "groups.offeredChosen" : "tools.offeredChosen")}
      </p>
      {action.problem !== undefined && <ProblemView problem={action.problem} />}
      <Button isBusy={action.isBusy} onClick={() => void change(allowAllTools)}>
        {t("tools.offerAll")}
      </Button>
      <form className="form" onSubmit={(event) => void offer(event)}>
        <Field label={t("tools.offerMore")} hint={t(isGroup ? "groups.offerMoreHint" : "tools.offerMoreHint")}>
          {(field) => (
            <div className="listed">
              <input
                {...field}
                required
                maxLength={200}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
              <Button type="submit" isBusy={action.isBusy}>
                {t("tools.offerShort")}
              </Button>
            </div>
          )}
        </Field>
      </form>
      <CommandLine command={`thv tools allow ${owner} ${name.trim() === "" ? "--all" : quoteWord(name.trim())}`} />
    </>
  );
}
