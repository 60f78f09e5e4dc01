/** The servers of a group while its endpoint is open. */
import type { GroupEndpointOptions, GroupMember, GroupMemberStatus } from "@toolhive/core";
import { packDefinitions, unpackDefinitions } from "./catalog/definitions.ts";
import type { GroupRelay } from "./group-relay.ts";
import { Backend, type BackendOptions } from "./members/backend.ts";

interface GroupMembersOptions
  extends Pick<GroupEndpointOptions, "known" | "onKnown" | "onChange">,
    Pick<BackendOptions, "limits" | "log" | "now" | "findRelay"> {
  readonly relay: GroupRelay;
}

export class GroupMembers {
  readonly #options: GroupMembersOptions;
  readonly #backends = new Map<string, Backend>();
  readonly #addresses = new Map<string, string>();
  #isClosed = false;

  constructor(options: GroupMembersOptions) {
    this.#options = options;
  }

  /** Adds, changes and removes servers, so that these are behind the endpoint. */
  update(members: readonly GroupMember[]): void {
    if (this.#isClosed) return;
    const { relay } = this.#options;
    const names = new Set(members.map((member) => member.name));
    const gone = [...this.#backends.values()].filter((backend) => !names.has(backend.name));
    for (const backend of gone) {
      this.#backends.delete(backend.name);
      backend.close();
    }
    for (const member of members) {
      const backend = this.#backends.get(member.name);
      if (backend !== undefined && this.#addresses.get(member.name) !== member.url) relay.endSessionsAt(backend);
      this.#addresses.set(member.name, member.url);
      if (backend === undefined) this.#add(member);
      else backend.update(member);
    }
    relay.setBackends([...this.#backends.values()], gone);
  }

  list(): GroupMemberStatus[] {
    const counts = this.#options.relay.countTools();
    return [...this.#backends.values()]
      .map(({ name: server, state, problem }) => {
        const { offered = 0, hidden = 0 } = counts.get(server) ?? {};
        return {
          name: server,
          state,
          ...(problem !== undefined && { reason: problem }),
          tools: offered,
          ...(hidden > 0 && { hiddenTools: hidden }),
        };
      })
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** From now on no server is added, and no change of one is reported. */
  freeze(): void {
    this.#isClosed = true;
  }

  close(): void {
    this.freeze();
    for (const backend of this.#backends.values()) backend.close();
  }

  #add(member: GroupMember): void {
    const { known = {}, limits, log, now, findRelay, relay } = this.#options;
    const definitions = Object.hasOwn(known, member.name) ? unpackDefinitions(known[member.name]) : undefined;
    const onChange: BackendOptions["onChange"] = (backend, change) => this.#spread(backend, change);
    const onProgress: BackendOptions["onProgress"] = (backend, envelope) => relay.receiveProgress(backend, envelope);
    this.#backends.set(
      member.name,
      new Backend(member, definitions, { limits, log, now, findRelay, onChange, onProgress }),
    );
  }

  #spread(backend: Backend, change: "definitions" | "state"): void {
    if (this.#isClosed || this.#backends.get(backend.name) !== backend) return;
    const { relay, onKnown, onChange } = this.#options;
    relay.refreshCatalog();
    if (backend.state === "ready") relay.restoreSubscriptions(backend);
    if (change === "definitions") onKnown?.(backend.name, packDefinitions(backend.definitions));
    onChange?.();
  }
}
