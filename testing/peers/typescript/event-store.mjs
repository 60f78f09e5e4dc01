/** Keeps every event for clients that come back, as the SDK's examples do. */
export class EventStore {
  #events = [];

  async storeEvent(stream, message) {
    this.#events.push({ stream, message });
    return String(this.#events.length - 1);
  }

  async getStreamIdForEventId(id) {
    return this.#events[Number(id)]?.stream;
  }

  async replayEventsAfter(id, { send }) {
    const { stream } = this.#events[Number(id)];
    for (const [index, event] of this.#events.entries()) {
      // The first event of a stream only names it.
      const isMessage = event.stream === stream && "jsonrpc" in event.message;
      if (index > Number(id) && isMessage) await send(String(index), event.message);
    }
    return stream;
  }
}
