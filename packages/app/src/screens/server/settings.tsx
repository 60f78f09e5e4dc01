import { isRemoteTarget } from "@toolhive/core/target";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { TextField } from "../../parts/field.tsx";
import { saveFile } from "../../parts/save-file.ts";
import type { Workload } from "../../store/live-store.ts";
import { nameMember } from "../../words/member-labels.ts";
import { t } from "../../words/messages.ts";
import { type Draft, toDraft, toEdited } from "../add/draft.ts";
import { toEditedRemote } from "../add/remote-draft.ts";
import { RemoteFields } from "../add/remote-fields.tsx";
import { SettingsFields } from "../add/settings-fields.tsx";
import type { CreateRequest } from "../pasted/source.ts";
import type { Details } from "./details.ts";
import { EditForm } from "./edit-form.tsx";
import { LastChange } from "./last-change.tsx";

interface ServerSettingsProps {
  readonly workload: Workload;
  readonly request: CreateRequest;
  readonly undo: Details["undo"];
}

export function ServerSettings({ workload, request, undo }: ServerSettingsProps) {
  const { name } = workload;
  const [image, setImage] = useState(request.image);
  const [draft, setDraft] = useState(() => toDraft(request));
  const isRemote = isRemoteTarget(request.image);
  const after = { ...(isRemote ? toEditedServer(request, draft) : toEdited(request, draft)), image: image.trim() };
  const change = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  return (
    <>
      <EditForm workload={workload} before={request} after={after}>
        <TextField
          label={isRemote ? t("plan.remote") : nameMember("image")}
          required
          value={image}
          onChange={setImage}
        />
        {isRemote ? (
          <RemoteFields draft={draft} problems={{}} isInClear={/^http:/i.test(image)} change={change} />
        ) : (
          <SettingsFields draft={draft} change={change} />
        )}
      </EditForm>
      {undo !== undefined && <LastChange workload={workload} undo={undo} />}
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

function toEditedServer({ transport: _transport, ...request }: CreateRequest, draft: Draft): CreateRequest {
  return toEditedRemote({ ...request, ...(draft.transport !== "" && { transport: draft.transport }) }, draft.remote);
}
