import { quoteWord } from "@toolhive/http/values";
import { type FormEvent, useId, useState } from "react";
import { ActionDialog } from "../../parts/dialog.tsx";
import { AreaField, TextField } from "../../parts/field.tsx";
import { t } from "../../words/messages.ts";
import { type ChosenTools, describeRename, findOwnName, renameTool } from "./tool-choice.ts";
import type { ToolChoiceControl } from "./use-tool-choice.ts";

interface RenameDialogProps {
  /** As commands name it: a server, or with `--group` a group. */
  readonly owner: string;
  /** As clients see it now. */
  readonly tool: string;
  readonly chosen: ChosenTools;
  /** Names that clients see now. */
  readonly listed: readonly string[];
  readonly control: ToolChoiceControl;
  /** @param renamed The name that clients see from now on; absent when nothing is saved. */
  readonly onClose: (renamed?: string) => void;
}

/** Another name and description of a tool for clients. */
export function RenameDialog({ owner, tool, chosen, listed, control, onClose }: RenameDialogProps) {
  const form = useId();
  const own = findOwnName(tool, chosen);
  const before = describeRename(chosen, tool);
  const [name, setName] = useState(before.name);
  const [description, setDescription] = useState(before.description);
  const next = name.trim() === "" ? own : name.trim();
  const isTaken = next !== tool && listed.includes(next);
  const { action } = control;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isTaken) return;
    const shown = { name: name.trim(), description: description.trim() };
    if (await control.change((saved) => renameTool(saved, tool, shown))) onClose(next);
  };
  return (
    <ActionDialog
      {...{ title: t("tools.renameTitle", { name: tool }), action, label: t("tools.renameSave"), form }}
      onCancel={() => onClose()}
      command={toRenameCommand(owner, tool, next, description.trim())}
    >
      <form id={form} onSubmit={(event) => void save(event)}>
        <TextField
          label={t("tools.renameName")}
          hint={t("tools.renameNameHint", { own })}
          error={isTaken ? t("tools.renameTaken") : undefined}
          maxLength={200}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder={own}
          value={name}
          onChange={setName}
        />
        <AreaField
          label={t("tools.renameText")}
          hint={t("tools.renameTextHint")}
          rows={3}
          maxLength={10_000}
          value={description}
          onChange={setDescription}
        />
      </form>
    </ActionDialog>
  );
}

function toRenameCommand(owner: string, tool: string, next: string, description: string): string {
  const flags = description === "" ? [] : ["--description", quoteWord(description)];
  return ["thv tools rename", owner, ...[tool, next].map(quoteWord), ...flags].join(" ");
}
