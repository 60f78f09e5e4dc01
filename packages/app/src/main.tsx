/** The entry of the application. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { redeemFragment } from "./api/session.ts";
import { registerWorker } from "./shell/register-worker.ts";
import { router } from "./shell/router.tsx";
import { startFollowing } from "./store/live.ts";
import { applyTheme, readTheme } from "./styles/theme.ts";
import "./styles/index.css";

applyTheme(readTheme());
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 5_000 } } });
const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element for the application.");
await redeemFragment();
startFollowing((change) => {
  // A group says which clients are registered for it, and takes them along when it goes.
  const concerned = change === "clients" || change === "groups" ? ["clients", "groups"] : [change];
  if (change === "all") void queries.invalidateQueries();
  else for (const each of concerned) void queries.invalidateQueries({ queryKey: [each] });
});
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
registerWorker();
