/** How clients and the server exchange messages; without a choice, ToolHive finds it out. */
import { Field } from "../../parts/field.tsx";
import { nameMember } from "../../words/member-labels.ts";
import type { Draft } from "./draft.ts";

interface TransportFieldProps {
  readonly draft: Draft;
  readonly transports: readonly string[];
  /** Text of the option that leaves the choice to ToolHive. */
  readonly automatic: string;
  readonly error?: string | undefined;
  readonly change: (next: Partial<Draft>) => void;
}

export function TransportField({ draft, transports, automatic, error, change }: TransportFieldProps) {
  return (
    <Field label={nameMember("transport")} error={error}>
      {(control) => (
        <select {...control} value={draft.transport} onChange={(event) => change({ transport: event.target.value })}>
          <option value="">{automatic}</option>
          {transports.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
