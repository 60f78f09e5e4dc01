/** A set that somebody shared: from a file, from text, or from an image registry. */
import { useState } from "react";
import { call } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { AreaField, Field } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Segments } from "../../parts/segments.tsx";
import { t } from "../../words/messages.ts";
import { useAction } from "../actions/use-action.ts";
import { PulledSet } from "./pulled-set.tsx";
import type { ReadSet } from "./set-steps.ts";
import { SetProblems, SetView } from "./set-view.tsx";

/** Characters; the API takes no more. */
const MAX_TEXT = 1_000_000;

const PLACES = ["file", "registry"] as const;

export function OpenSet() {
  const [place, setPlace] = useState<(typeof PLACES)[number]>("file");
  return (
    <div className="set">
      <PageHead title={t("set.openTitle")} />
      <p className="lead">{t("set.openText")}</p>
      <Segments
        label={t("set.from")}
        value={place}
        options={PLACES.map((value) => ({ value, label: t(`set.from.${value}`) }))}
        onChange={setPlace}
      />
      {place === "file" ? <FileSet /> : <PulledSet />}
    </div>
  );
}

function FileSet() {
  const [text, setText] = useState("");
  const [set, setSet] = useState<ReadSet | undefined>();
  const reading = useAction();
  const change = (next: string) => {
    setText(next);
    setSet(undefined);
  };
  const read = () => reading.run(async () => setSet(await call("readProject", { body: { text } })));
  return (
    <>
      <div className="form form--wide">
        <AreaField
          label={t("set.text")}
          hint={t("set.textHint")}
          rows={10}
          spellCheck={false}
          maxLength={MAX_TEXT}
          value={text}
          onChange={change}
        />
        <Field label={t("set.file")}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept=".yaml,.yml"
              onChange={async ({ target: { files } }) => {
                const [file] = files ?? [];
                if (file !== undefined && file.size <= MAX_TEXT) change(await file.text());
              }}
            />
          )}
        </Field>
        <Button look="primary" isBusy={reading.isBusy} disabled={text.trim() === ""} onClick={() => void read()}>
          {t("set.read")}
        </Button>
        {reading.problem !== undefined && <ProblemView problem={reading.problem} />}
      </div>
      {set !== undefined && set.problems.length > 0 && <SetProblems set={set} />}
      {set !== undefined && set.problems.length === 0 && <SetView key={text} set={set} />}
      <CommandLine command="thv up" />
    </>
  );
}
