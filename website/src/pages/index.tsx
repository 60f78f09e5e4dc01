/** The home page: what it is in one breath, where to begin, what it protects from, and where answers are. */
import Link from "@docusaurus/Link";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { Card, CardGrid } from "@site/src/components/cards.tsx";
import { CombPicture } from "@site/src/components/comb-picture.tsx";
import { TerminalSession } from "@site/src/components/terminal-session.tsx";
import Layout from "@theme/Layout";
import session from "toolhive-session";
import styles from "./index.module.css";

const DEFINITION =
  "ToolHive runs each MCP server in a container of its own, keeps your files out of its reach, and gives your editor one address for it.";

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
          <h2 id="begin">From an image to an address</h2>
          <p className={styles.sectionLead}>
            This session is the one of the{" "}
            <Link className="text-link" to="/toolhive/tutorials/quickstart-cli">
              CLI quickstart
            </Link>
            . It is run against a real container engine on every change, and what it prints is compared with what you
            see.
          </p>
          <TerminalSession steps={session} />
        </section>

        <section className={`${styles.section} ${styles.ways}`} aria-labelledby="ways">
          <h2 id="ways">Three ways to use it</h2>
          <CardGrid>
            <Card
              title="Command line"
              to="/toolhive/tutorials/quickstart-cli"
              note="10 minutes · Node and a container engine"
            >
              Start, watch and stop servers from a terminal or a script.
            </Card>
            <Card
              title="Desktop application"
              to="/toolhive/tutorials/quickstart-ui"
              note="8 minutes · a container engine"
            >
              Choose a server, press a button, connect your editor with a switch.
            </Card>
            <Card
              title="Kubernetes operator"
              to="/toolhive/tutorials/quickstart-k8s"
              note="15 minutes · kind, kubectl and Helm"
            >
              Describe each server as a resource of your cluster. Experimental.
            </Card>
          </CardGrid>
        </section>

        <section className={styles.section} aria-labelledby="protects">
          <h2 id="protects">What it protects you from</h2>
          <dl className={styles.facts}>
            {FACTS.map(({ fact, proof, to, link }) => (
              <div key={fact}>
                <dt>{fact}</dt>
                <dd>
                  {proof}{" "}
                  <Link className="text-link" to={to}>
                    {link}
                  </Link>
                </dd>
              </div>
            ))}
          </dl>
          <p className={styles.sectionLead}>
            The{" "}
            <Link className="text-link" to="/toolhive/concepts/threat-model">
              threat model
            </Link>{" "}
            names the tests that show this, and what is not stopped.
          </p>
        </section>

        <section className={styles.section} aria-labelledby="answers">
          <h2 id="answers">Find an answer</h2>
          <CardGrid>
            <Card title="Command reference" to="/toolhive/reference/cli/thv">
              Every command with its options, examples and exit codes.
            </Card>
            <Card title="API reference" to="/toolhive/reference/api">
              Every operation with its schemas, in curl and TypeScript.
            </Card>
            <Card title="Error catalogue" to="/toolhive/reference/errors">
              Every code with its cause and its remedy.
            </Card>
            <Card title="Clients" to="/toolhive/reference/client-compatibility">
              The file and the entry for each editor and assistant.
            </Card>
            <Card title="MCP primer" to="/toolhive/concepts/mcp-primer">
              What clients and servers say to each other.
            </Card>
            <Card title="Questions" to="/toolhive/faq">
              Short answers to what is asked most.
            </Card>
          </CardGrid>
        </section>
      </main>
    </Layout>
  );
}

const FACTS = [
  {
    fact: "A package that reads your disk",
    proof:
      "A server sees the files of its image and none of yours, without any Linux capability and within bounds on memory, processors and processes.",
    to: "/toolhive/guides-cli/custom-permissions",
    link: "What a server may reach",
  },
  {
    fact: "A tool that sends data elsewhere",
    proof:
      "With --isolate-network a server reaches the hosts of its permission profile and nothing else: not your network, not the internet. Its log says what was refused.",
    to: "/toolhive/guides-cli/custom-permissions#understand-network-isolation",
    link: "How isolation works",
  },
  {
    fact: "A web page that calls your tools",
    proof: "Proxies listen on 127.0.0.1 and check where a request comes from, so a page in your browser is refused.",
    to: "/toolhive/guides-cli/custom-permissions#who-can-use-the-server",
    link: "Who can use a server",
  },
  {
    fact: "A caller who may do everything",
    proof: "Ask callers for a token of your OIDC issuer, and decide with Cedar policies which tools each may use.",
    to: "/toolhive/guides-cli/control-access",
    link: "Who may call what",
  },
  {
    fact: "A key in your shell history",
    proof:
      "Keys are kept in an encrypted file or read from 1Password, and given to servers by name. Lists and logs never show them.",
    to: "/toolhive/guides-cli/secrets-management",
    link: "Where keys are kept",
  },
  {
    fact: "A call that nobody remembers",
    proof: "An audit log says who called which tool, when and how it ended; traces and metrics go to your collector.",
    to: "/toolhive/guides-cli/observe",
    link: "Who called what",
  },
  {
    fact: "A crash that nobody notices",
    proof: "What should run is written down before it is started, and runs again after a crash or a reboot.",
    to: "/toolhive/guides-cli/manage-mcp-servers#after-a-crash-or-a-reboot",
    link: "What happens after a crash",
  },
  {
    fact: "A setup that stopped working",
    proof:
      "thv doctor looks at the engine, ports, saved files, secrets and clients, and says how to fix what is wrong.",
    to: "/toolhive/reference/cli/thv_doctor",
    link: "What it looks at",
  },
];
