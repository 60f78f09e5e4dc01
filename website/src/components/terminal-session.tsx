/** A recorded terminal session, all of it in the page; its lines appear one after the other where motion is welcome. */
import styles from "./terminal-session.module.css";

export interface TerminalSessionProps {
  readonly steps: readonly { readonly command: string; readonly output: readonly string[] }[];
}

export function TerminalSession({ steps }: TerminalSessionProps) {
  return (
    <section className={styles.window} aria-label="Terminal session from the CLI quickstart">
      <div className={styles.bar} aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
      <pre className={styles.screen} tabIndex={0}>
        {steps.flatMap(({ command, output }) => [
          <code key={command} className={styles.command}>
            {command}
          </code>,
          ...output.map((line) => (
            <code key={`${command} ${line}`} className={styles.output}>
              {line}
            </code>
          )),
        ])}
      </pre>
    </section>
  );
}
