/** The home page: what it is in one breath, where to begin, what it protects from, and where answers are. */
import Link from "@docusaurus/Link";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { Card, CardGrid } from "@site/src/components/cards.tsx";
import { CodeFence } from "@site/src/components/code-fence.tsx";
import { CombPicture } from "@site/src/components/comb-picture.tsx";
import Layout from "@theme/Layout";
import styles from "./index.module.css";

const DEFINITION =
  "ToolHive runs each MCP server in a container of its own, lets it reach only what you allow, and gives your editor one address for it.";

export default function Home() {
  const { siteConfig } = useDocusaurusContext();
  return (
    <Layout title={siteConfig.tagline} description={DEFINITION}>
      <main className={styles.home}>
        <header className={styles.hero}>
          <div>
            <h1 className={styles.title}>{siteConfig.tagline}</h1>
            <p className={styles.lead}>{DEFINITION}</p>
            <p className={styles.actions}>
              <Link className="button button--primary button--lg" to="/toolhive/tutorials/quickstart-cli">
                Start your first server
              </Link>
              <Link className="button button--secondary button--lg" to="/toolhive/">
                How it works
              </Link>
            </p>
          </div>
          <CombPicture />
        </header>

        <section className={styles.section} aria-labelledby="begin">
          <h2 id="begin">From nothing to a running server</h2>
          <p className={styles.sectionLead}>
            One command starts the container and the proxy. The next shows the address for your editor.
          </p>
          <CodeFence language="bash" kind="command" html={COMMANDS} />
        </section>

        <section className={styles.section} aria-labelledby="protects">
          <h2 id="protects">What it protects you from</h2>
          <dl className={styles.facts}>
            {FACTS.map(({ fact, proof }) => (
              <div key={fact}>
                <dt>{fact}</dt>
                <dd>{proof}</dd>
              </div>
            ))}
          </dl>
        </section>

        <section className={styles.section} aria-labelledby="answers">
          <h2 id="answers">Find an answer</h2>
          <CardGrid>
            <Card title="Tutorials" to="/toolhive/tutorials">
              Guided first steps, with real output at every step.
            </Card>
            <Card title="Overview" to="/toolhive/">
              What happens between your editor and a server.
            </Card>
            <Card title="Search" to="/search">
              Type a command, a flag or the error you see.
            </Card>
          </CardGrid>
        </section>
      </main>
    </Layout>
  );
}

const COMMANDS = [
  '<span class="token function">thv</span> run --name everything mcp/everything:latest',
  '<span class="token function">thv</span> list',
].join("\n");

const FACTS = [
  {
    fact: "A package that reads your disk",
    proof: "A server sees no file of yours until you mount a folder, and you can mount it read-only.",
  },
  {
    fact: "A server that outlives its terminal",
    proof:
      "Every container, session and stream has an owner. Stopping ToolHive's supervisor leaves nothing unaccounted for.",
  },
  {
    fact: "A crash that nobody notices",
    proof:
      "Desired state is written before anything starts. After a crash or a reboot, what should run is running again.",
  },
  {
    fact: "A web page that calls your tools",
    proof:
      "Proxies listen on 127.0.0.1 and check where a request comes from, so that a page in your browser cannot use them.",
  },
];
