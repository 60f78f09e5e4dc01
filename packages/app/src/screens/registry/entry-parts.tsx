import { t } from "../../words/messages.ts";

interface Declared {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean | undefined;
  readonly secret?: boolean | undefined;
}

/** What an entry asks for: variables, or headers. */
export function DeclaredList({ items }: { readonly items: readonly Declared[] }) {
  if (items.length === 0) return <p>{t("registry.nothing")}</p>;
  return (
    <dl className="facts">
      {items.map(({ name, description, required, secret }) => (
        <div key={name}>
          <dt>
            <code>{name}</code> {required && <span className="chip">{t("registry.required")}</span>}{" "}
            {secret && <span className="chip">{t("registry.secret")}</span>}
          </dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
  );
}

export function ToolNames({ tools }: { readonly tools: readonly string[] }) {
  return (
    <section className="panel panel--wide">
      <h2>{t("registry.tools")}</h2>
      <ul className="chips">
        {tools.map((tool) => (
          <li key={tool}>
            <code className="chip">{tool}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
