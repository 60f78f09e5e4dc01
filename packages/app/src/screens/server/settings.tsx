import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Field } from "../../parts/field.tsx";
import { saveFile } from "../../parts/save-file.ts";
import type { Workload } from "../../store/live-store.ts";
import { t } from "../../words/messages.ts";
import { toDraft, toEdited } from "../add/draft.ts";
import { SettingsFields } from "../add/settings-fields.tsx";
import type { CreateRequest } from "../add/source.ts";
import { EditForm } from "./edit-form.tsx";

interface ServerSettingsProps {
  readonly workload: Workload;
  readonly request: CreateRequest;
}

export function ServerSettings({ workload, request }: ServerSettingsProps) {
  const { name } = workload;
  const [image, setImage] = useState(request.image);
  const [draft, setDraft] = useState(() => toDraft(request));
  const after = { ...toEdited(request, draft), image: image.trim() };
  return (
    <>
      <EditForm workload={workload} before={request} after={after}>
        <Field label={t("edit.image")}>
          {(control) => (
            <input {...control} required value={image} onChange={(event) => setImage(event.target.value)} />
          )}
        </Field>
        <SettingsFields draft={draft} change={(next) => setDraft((before) => ({ ...before, ...next }))} />
      </EditForm>
      <section className="panel panel--below">
        <p>{t("edit.exportHint")}</p>
        <div>
          <Button onClick={() => saveFile(`${name}.json`, JSON.stringify(request, null, 2), "application/json")}>
            {t("edit.export")}
          </Button>
        </div>
        <CommandLine command={`thv export ${name} ${name}.json`} />
      </section>
    </>
  );
}
