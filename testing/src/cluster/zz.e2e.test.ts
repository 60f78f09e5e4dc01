import "../docs/cluster-pages.e2e.test.ts";
import "./cluster.e2e.test.ts";
