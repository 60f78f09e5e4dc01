/** `window.docusaurus`: the framework's own, whose prefetches wait until the browser is idle. */
import stock from "stock-docusaurus-global";
import { createIdleQueue } from "./idle-queue.ts";
import { whenIdle } from "./when-idle.ts";

const queue = createIdleQueue(whenIdle);

export default Object.freeze({
  prefetch(routePath: string): void {
    void queue.add(routePath, async () => {
      await stock.prefetch(routePath);
    });
  },
  preload: stock.preload,
});
