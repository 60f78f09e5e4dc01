/** The home page: what it is in one breath, where to begin, what it protects from, and where answers are. */
import Head from "@docusaurus/Head";
import Link from "@docusaurus/Link";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { Card, CardGrid } from "@site/src/components/cards.tsx";
import { HeroPicture } from "@site/src/components/hero-picture.tsx";
import { TerminalSession } from "@site/src/components/terminal-session.tsx";
import Layout from "@theme/Layout";
import session from "toolhive-session";
import styles from "./index.module.css";

const DEFINITION =
  "ToolHive runs each MCP server in a container of its own, keeps your files out of its reach, and gives your editor one URL for each of them, or one for a group.";

export default function Home() {
  const { siteConfig } = useDocusaurusContext();
  return (
    <Layout title={siteConfig.tagline} description={DEFINITION}>
      <Head>
        {/* It has the words of every guide; who searches wants the guide. */}
        <meta name="docsearch:pageRank" content="-1" />
      </Head>
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
          <HeroPicture />
        </header>

        <FirstSession />
        <Ways />
        <Tasks />
        <Protection />
        <Answers />
      </main>
    </Layout>
  );
}

function FirstSession() {
  return (
    <section className={styles.section} aria-labelledby="begin">
      <h2 id="begin">From an image to a running server</h2>
      <p className={styles.sectionLead}>
        This is the session from the{" "}
        <Link className="text-link" to="/toolhive/tutorials/quickstart-cli">
          CLI quickstart
        </Link>
        . Tests run it against a real container engine on every change and compare the output with what you see here.
      </p>
      <TerminalSession steps={session} />
    </section>
  );
}

function Ways() {
  return (
    <section className={`${styles.section} ${styles.ways}`} aria-labelledby="ways">
      <h2 id="ways">Three ways to use it</h2>
      <CardGrid>
        <Card title="Command line" to="/toolhive/tutorials/quickstart-cli" note="10 minutes · a container engine">
          Start, watch and stop servers from a terminal or a script.
        </Card>
        <Card title="In the browser" to="/toolhive/tutorials/quickstart-ui" note="5 minutes · a container engine">
          Add a server with a form, and connect your editor with a button.
        </Card>
        <Card
          title="Kubernetes operator"
          to="/toolhive/tutorials/quickstart-k8s"
          note="15 minutes · kind, kubectl and Helm"
        >
          Describe each server as a resource in your cluster. Experimental.
        </Card>
      </CardGrid>
    </section>
  );
}

function Tasks() {
  return (
    <section className={styles.section} aria-labelledby="tasks">
      <h2 id="tasks">What you can do with it</h2>
      <CardGrid>
        <Card title="Find servers" to="/toolhive/guides-cli/registry">
          Choose from the registry, or use a registry of your own.
        </Card>
        <Card title="Connect clients" to="/toolhive/guides-cli/client-configuration">
          Let ToolHive write the settings of your editor or assistant.
        </Card>
        <Card title="Group servers" to="/toolhive/guides-cli/groups">
          Give a client one URL for a group of servers.
        </Card>
        <Card title="Choose tools" to="/toolhive/guides-cli/tools">
          Show your assistant the tools that it needs, and hide the others.
        </Card>
        <Card title="Use remote servers" to="/toolhive/guides-cli/remote-servers">
          Run a remote server like a local one, and sign in once for all clients.
        </Card>
        <Card title="Use a project file" to="/toolhive/guides-cli/project-file">
          Keep a project's servers in thv.yaml, and start them together.
        </Card>
      </CardGrid>
    </section>
  );
}

function Protection() {
  return (
    <section className={styles.section} aria-labelledby="protects">
      <h2 id="protects">What it protects you from</h2>
      <dl className={styles.facts}>
        {FACTS.map(({ fact, proof, to, link }) => (
          <div key={fact}>
            <dt>{fact}</dt>
            <dd>
              <WithCode text={proof} />{" "}
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
        lists the tests that verify this, and what ToolHive does not stop.
      </p>
    </section>
  );
}

/** Text with what stands in back quotes as code. */
function WithCode({ text }: { readonly text: string }) {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>));
}

function Answers() {
  return (
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
          Every error code, its cause and how to fix it.
        </Card>
        <Card title="Clients" to="/toolhive/reference/client-compatibility">
          The settings file and entry for each editor and assistant.
        </Card>
        <Card title="MCP primer" to="/toolhive/concepts/mcp-primer">
          How clients and servers communicate.
        </Card>
        <Card title="Questions" to="/toolhive/faq">
          Short answers to common questions.
        </Card>
        <Card title="For assistants" to="/toolhive/guides-cli/documentation">
          An MCP server that answers from this documentation, here at /mcp and offline with thv.
        </Card>
      </CardGrid>
    </section>
  );
}

const FACTS = [
  {
    fact: "A package that reads your disk",
    proof:
      "A server sees only the files in its image and none of yours. It runs without Linux capabilities and with limits on memory, CPUs and processes.",
    to: "/toolhive/guides-cli/custom-permissions",
    link: "What a server can access",
  },
  {
    fact: "A tool that sends data elsewhere",
    proof:
      "With `--isolate-network`, a server can reach only the hosts in its permission profile, and not the rest of your network or the internet. Its log shows refused connections.",
    to: "/toolhive/guides-cli/custom-permissions#understand-network-isolation",
    link: "How isolation works",
  },
  {
    fact: "A web page that calls your tools",
    proof:
      "Proxies listen on 127.0.0.1 and check where a request comes from, so they refuse requests from a page in your browser.",
    to: "/toolhive/guides-cli/custom-permissions#who-can-use-the-server",
    link: "Who can use a server",
  },
  {
    fact: "A tool that changes after you chose it",
    proof:
      "ToolHive pins the definition of each tool. A tool that its server changes is held back until you have seen the change and accepted it.",
    to: "/toolhive/guides-cli/tools#pin",
    link: "How pins work",
  },
  {
    fact: "A caller who may do everything",
    proof: "Require a token from your OIDC issuer, and use Cedar policies to decide which tools each caller may use.",
    to: "/toolhive/guides-cli/control-access",
    link: "Who may call what",
  },
  {
    fact: "A key in your shell history",
    proof:
      "Keys are stored in an encrypted file or read from 1Password, and passed to servers by name. Lists and logs never show them.",
    to: "/toolhive/guides-cli/secrets-management",
    link: "Where keys are stored",
  },
  {
    fact: "A call that nobody recorded",
    proof:
      "An audit log records who called which tool, when, and how it ended. Traces and metrics go to your collector.",
    to: "/toolhive/guides-cli/observe",
    link: "Who called what",
  },
  {
    fact: "A crash that nobody notices",
    proof:
      "ToolHive saves which servers should run before it starts them, and restarts them after a crash or a reboot.",
    to: "/toolhive/guides-cli/manage-mcp-servers#after-a-crash-or-a-reboot",
    link: "What happens after a crash",
  },
  {
    fact: "A setup that stopped working",
    proof:
      "`thv doctor` checks the engine, ports, saved files, secrets and clients, and tells you how to fix problems.",
    to: "/toolhive/reference/cli/thv_doctor",
    link: "What it checks",
  },
];
