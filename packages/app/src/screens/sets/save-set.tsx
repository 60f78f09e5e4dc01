/** Everything, or one group, as a project file: what is in it, what is not, and the file itself. */
import { useQuery } from "@tanstack/react-query";
import { quoteWord } from "@toolhive/http/values";
import { call } from "../../api/client.ts";
import { ActionDialog } from "../../parts/dialog.tsx";
import { ProblemView, toProblem } from "../../parts/problem-view.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { t } from "../../words/messages.ts";

interface SaveSetProps {
  /** Of a group; absent for all servers and groups. */
  readonly group?: string;
  readonly onClose: () => void;
}

export function SaveSet({ group, onClose }: SaveSetProps) {
  const set = useQuery({
    queryKey: ["set", "export", group],
    queryFn: () => call("exportProject", { query: group === undefined ? {} : { group } }),
    gcTime: 0,
    retry: false,
  });
  const name = group === undefined ? "thv.yaml" : `${group}.thv.yaml`;
  const { file, servers = [], secrets = [], left_out: left = [] } = set.data ?? {};
  const save = async () => {
    if (file === undefined) return;
    saveFile(name, file, "application/yaml");
    onClose();
  };
  return (
    <ActionDialog
      title={t("set.saveTitle")}
      action={{ isBusy: set.isPending, problem: undefined }}
      label={file === undefined || servers.length === 0 ? undefined : t("set.save", { name })}
      onConfirm={save}
      onCancel={onClose}
      command={
        group === undefined ? "thv export --all thv.yaml" : `thv export --group ${quoteWord(group)} ${quoteWord(name)}`
      }
    >
      {set.error !== null && <ProblemView problem={toProblem(set.error)} onRetry={() => void set.refetch()} />}
      {file !== undefined && (
        <p>{servers.length === 0 ? t("set.nothing") : t("set.saveText", { servers: servers.join(", ") })}</p>
      )}
      {secrets.length > 0 && <p>{t("set.saveSecrets", { secrets: secrets.join(", ") })}</p>}
      {left.length > 0 && (
        <>
          <p>{t("set.leftOut")}</p>
          <ul className="plan__warnings">
            {left.map(({ server, group: of, member, reason }) => (
              <li key={`${server} ${of} ${member}`}>
                {[server ?? of, member].filter(Boolean).join(", ")}: {reason}.
              </li>
            ))}
          </ul>
        </>
      )}
    </ActionDialog>
  );
}
