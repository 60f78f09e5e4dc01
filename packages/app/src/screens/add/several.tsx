/** Several pasted servers at once: what each needs, and what each would do. */
import { useNavigate } from "@tanstack/react-router";
import { applyChoices } from "../pasted/pasted-servers.ts";
import type { CreateRequest } from "../pasted/source.ts";
import { OutcomeButtons, OutcomeView, useOutcomes } from "../several/outcomes.tsx";
import { PastedFields, StoreAll } from "./pasted-fields.tsx";
import type { NewServer } from "./use-new-server.ts";

export function Several({ server }: { readonly server: NewServer }) {
  const { pasted } = server;
  const navigate = useNavigate();
  const requests = pasted.map((each) => ({
    name: each.name,
    request: applyChoices(each, server.findChoices(each.name)) as CreateRequest,
  }));
  const outcomes = useOutcomes(requests, { onDone: async () => await navigate({ to: "/" }) });
  return (
    <>
      <StoreAll server={server} servers={pasted} />
      {pasted.map((each, index) => (
        <section className="panel panel--wide pasted-one" key={each.name} aria-label={each.name}>
          <h2>{each.name}</h2>
          <code>{each.request.image}</code>
          {each.notes.length > 0 && (
            <ul className="plan__warnings">
              {each.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
          {outcomes.outcomes[each.name]?.kind !== "added" && <PastedFields server={server} pasted={each} />}
          <OutcomeView outcomes={outcomes} name={each.name} request={requests[index]?.request} />
        </section>
      ))}
      <OutcomeButtons outcomes={outcomes} />
    </>
  );
}
