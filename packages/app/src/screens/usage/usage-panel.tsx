/** How one server is used: its calls, who makes them, and what its tools take of a model's context. */
import { CommandLine } from "../../parts/command-line.tsx";
import { Moment } from "../../parts/moment.tsx";
import { t } from "../../words/messages.ts";
import { Sparkline } from "./sparkline.tsx";
import { formatCount, formatDuration, type ServerUsage, useServerUsage } from "./use-usage.ts";

/** Rows of a list; the command line shows all. */
const MAX_ROWS = 5;

export function UsagePanel({ name }: { readonly name: string }) {
  const { data: usage } = useServerUsage(name);
  if (usage === undefined) return null;
  if (!usage.is_recorded) {
    return (
      <section className="panel panel--wide">
        <h2>{t("usage.title")}</h2>
        <p>{t("usage.off")}</p>
        <CommandLine command="thv config set-usage on" />
      </section>
    );
  }
  return (
    <div className="usage">
      <Calls usage={usage} />
      <Tools name={name} usage={usage} />
    </div>
  );
}

function Calls({ usage }: { readonly usage: ServerUsage }) {
  const { calls, failures, p95_ms: p95, last_used_at: last, days, clients } = usage;
  return (
    <section className="panel">
      <h2>{t("usage.title")}</h2>
      <dl className="figures">
        <Figure term={t("usage.calls")}>{formatCount(calls)}</Figure>
        <Figure term={t("usage.failures")}>{formatCount(failures)}</Figure>
        <Figure term={t("usage.p95")}>{p95 === undefined ? "–" : formatDuration(p95)}</Figure>
        <Figure term={t("usage.last")}>{last === undefined ? t("usage.never") : <Moment at={last} />}</Figure>
      </dl>
      <Sparkline days={days.map((day) => day.calls)} size="large" />
      {clients.length > 0 && (
        <dl className="bars">
          {clients.slice(0, MAX_ROWS).map((client) => (
            <Bar key={client.name} name={client.name} count={client.calls} of={calls} />
          ))}
        </dl>
      )}
    </section>
  );
}

function Tools({ name, usage }: { readonly name: string; readonly usage: ServerUsage }) {
  const { context, tools } = usage;
  if (context === undefined && tools.length === 0) return null;
  const listed = tools.filter(({ context_tokens: tokens }) => tokens !== undefined);
  const unused = listed.filter(({ calls }) => calls === 0);
  const saved = unused.reduce((sum, { context_tokens: tokens = 0 }) => sum + tokens, 0);
  const used = tools.filter(({ calls }) => calls > 0);
  const [most] = used;
  return (
    <section className="panel">
      <h2>{t("usage.tools")}</h2>
      {context !== undefined && (
        <p>{t("usage.context", { tools: context.tools, tokens: formatCount(context.tokens) })}</p>
      )}
      {most !== undefined && (
        <dl className="bars">
          {used.slice(0, MAX_ROWS).map((tool) => (
            <Bar key={tool.name} name={tool.name} count={tool.calls} of={most.calls} />
          ))}
        </dl>
      )}
      {unused.length > 0 && usage.calls > 0 && (
        <>
          <p>{t("usage.unused", { count: unused.length, total: listed.length, tokens: formatCount(saved) })}</p>
          <CommandLine command={`thv tools list ${name} --usage`} />
        </>
      )}
    </section>
  );
}

function Figure({ term, children }: { readonly term: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Bar({ name, count, of }: { readonly name: string; readonly count: number; readonly of: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect width={Math.max(1, (100 * count) / Math.max(1, of))} height="8" rx="2" />
        </svg>
        {formatCount(count)}
      </dd>
    </div>
  );
}
