/** What programs report about certificates, names and connections. */
import type { SeenMessage } from "./seen-message.ts";

export const NETWORK_MESSAGES: readonly SeenMessage[] = [
  {
    message: "connect ECONNREFUSED 127.0.0.1:…",
    program: "Node.js and MCP clients",
    means: "Nothing listens on that port here. In a container, `127.0.0.1` is the container itself.",
    remedy: "Compare the port with `thv list`. From a container, use the name of its host.",
    guide: "fromContainer",
    source: "mcpjungle/MCPJungle#23",
  },
  {
    message: "Failed to connect to host.docker.internal port …: Connection refused",
    program: "curl, in a container",
    means: "The server listens on `127.0.0.1` of the host only, or the name leads to another address.",
    remedy:
      "Run it with `--host 0.0.0.0`, and add `--add-host host.docker.internal:host-gateway` to the client's container on Linux.",
    guide: "fromContainer",
    source: "docker/for-linux#1365",
  },
  {
    message: "connect ETIMEDOUT …",
    program: "Node.js",
    means: "The other side does not answer: a firewall drops the packets, or the address is wrong.",
    remedy: "Check the address and the proxy. With network isolation, allow the host and its port in the profile.",
    guide: "hosts",
    source: "punkpeye/mcp-remote#87",
  },
  {
    message: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    program: "Node.js",
    means: "Node.js does not trust the certificate of the service, mostly because a proxy of your company opens TLS.",
    remedy: "Give the server the certificate: `--volume /path/ca.pem:/ca.pem:ro --env NODE_EXTRA_CA_CERTS=/ca.pem`.",
    guide: "certificate",
    source: "aartiq/servicenow-mcp#7",
  },
  {
    message: "SELF_SIGNED_CERT_IN_CHAIN",
    program: "Node.js, in a server",
    means: "A proxy of your company opens TLS, and the server does not trust its certificate.",
    remedy:
      "Give the server the certificate: `--volume /path/ca.pem:/ca.pem:ro --env NODE_EXTRA_CA_CERTS=/ca.pem`. For builds, use `thv config set-ca-cert`.",
    guide: "certificate",
    source: "arabold/docs-mcp-server#267",
  },
  {
    message: "dial tcp: lookup … on …:53: no such host",
    program: "Docker and programs in Go",
    means: "DNS does not know the name.",
    remedy: "Check the name. With network isolation, names of hosts that the profile does not list have no address.",
    guide: "hosts",
    source: "docker/for-win#4884",
  },
  {
    message: "dial tcp: lookup localhost: i/o timeout",
    program: "Podman and programs in Go",
    means: "The resolver does not answer.",
    remedy: "Check `/etc/resolv.conf` and `/etc/hosts`, or the VPN.",
    source: "podman-container-tools/podman#15731",
  },
  {
    message: "ERR_CONNECTION_REFUSED",
    program: "Browsers",
    means: "Nothing listens at the address.",
    remedy: "Start the supervisor: `thv ui` opens the application, and `thv serve` starts the API.",
    source: "stacklok/toolhive-studio#81",
  },
];
