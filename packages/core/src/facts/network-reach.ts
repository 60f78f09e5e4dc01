/** Settings of a server's network and what it may reach with them, for the guides. A browser draws this list, so that nothing else of Node is imported here. */
import { describeReach } from "../reach/network-reach.ts";

type Settings = Parameters<typeof describeReach>[0];

function outbound(allowAll: boolean, hosts: string[], ports: number[]): Settings["permission_profile"] {
  return { network: { outbound: { insecure_allow_all: allowAll, allow_host: hosts, allow_port: ports } } };
}

const LISTED = outbound(false, ["api.github.com", ".example.com"], [443]);
const transport = "stdio";

const EXAMPLES: readonly (readonly [profile: string, isLimited: boolean, settings: Settings])[] = [
  ["None", false, { transport }],
  ["`allow_host` and `allow_port`", false, { transport, permission_profile: LISTED }],
  ["`none`", false, { transport, permission_profile: outbound(false, [], []) }],
  [
    "`none`, of a server that speaks HTTP",
    false,
    { transport: "streamable-http", permission_profile: outbound(false, [], []) },
  ],
  ["None, or `network`", true, { transport, isolate_network: true }],
  ["`allow_host` and `allow_port`", true, { transport, isolate_network: true, permission_profile: LISTED }],
  [
    "`allow_host` only",
    true,
    { transport, isolate_network: true, permission_profile: outbound(false, ["api.github.com"], []) },
  ],
  ["`allow_port` only", true, { transport, isolate_network: true, permission_profile: outbound(false, [], [443]) }],
  ["Neither", true, { transport, isolate_network: true, permission_profile: outbound(false, [], []) }],
  [
    "`insecure_allow_all`, and an address in `allow_host`",
    true,
    { transport, isolate_network: true, permission_profile: outbound(true, ["192.0.2.7"], []) },
  ],
  ["Any, while its rules are learned", true, { transport, learn_network: true }],
];

/** `profile` names members as Markdown code; `reach` is what `thv status` and the application say. */
export const NETWORK_REACH = EXAMPLES.map(([profile, isLimited, settings]) => ({
  profile,
  isLimited,
  reach: describeReach(settings),
}));
