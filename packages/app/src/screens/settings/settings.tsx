import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { forgetSession } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Segments } from "../../parts/segments.tsx";
import { keepTheme, readTheme, THEMES, type Theme } from "../../styles/theme.ts";
import { t } from "../../words/messages.ts";

export function Settings() {
  const version = useQuery({ queryKey: ["version"], queryFn: () => call("getVersion") });
  const registry = useQuery({ queryKey: ["registry"], queryFn: () => call("listRegistries") });
  const [theme, setTheme] = useState<Theme>(readTheme);
  const source = registry.data?.registries[0]?.source ?? "";
  return (
    <>
      <PageHead title={t("settings.title")} />
      <div className="panels">
        <section className="panel">
          <h2>{t("settings.theme")}</h2>
          <Segments
            label={t("settings.theme")}
            value={theme}
            options={THEMES.map((value) => ({ value, label: t(`settings.${value}`) }))}
            onChange={(value) => {
              keepTheme(value);
              setTheme(value);
            }}
          />
        </section>
        <section className="panel">
          <h2>{t("settings.registry")}</h2>
          <p>{source === "embedded" ? t("settings.bundled") : <code>{source}</code>}</p>
          <CommandLine command="thv config set-registry-url URL" />
        </section>
        <UsageSetting />
        <section className="panel">
          <h2>{t("settings.about")}</h2>
          <p>
            {t("settings.version")} <code>{version.data?.version ?? ""}</code>
          </p>
          <Button onClick={() => void signOut()}>{t("settings.signOut")}</Button>
        </section>
      </div>
    </>
  );
}

function UsageSetting() {
  const queries = useQueryClient();
  const usage = useQuery({ queryKey: ["usage", "", "setting"], queryFn: () => call("listUsage") });
  const turn = useMutation({
    mutationFn: (isRecorded: boolean) => call("setUsageRecording", { body: { is_recorded: isRecorded } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["usage"] }),
  });
  if (usage.data === undefined) return null;
  return (
    <section className="panel">
      <h2>{t("usage.setting")}</h2>
      <p>{t("usage.settingText")}</p>
      <Segments
        label={t("usage.setting")}
        value={usage.data.is_recorded ? "on" : "off"}
        options={[
          { value: "on", label: t("usage.on") },
          { value: "off", label: t("usage.offOption") },
        ]}
        onChange={(value) => turn.mutate(value === "on")}
      />
      <CommandLine command={`thv config set-usage ${usage.data.is_recorded ? "off" : "on"}`} />
    </section>
  );
}

/** The token ends at the supervisor, too; without an answer from there, at least this browser forgets it. */
async function signOut(): Promise<void> {
  await call("deleteAppSession").catch(() => undefined);
  forgetSession();
}
