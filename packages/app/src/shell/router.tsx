/** Which address shows which screen. Each screen but the first is loaded when it is shown. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { PageHead } from "../parts/page-head.tsx";
import { Servers } from "../screens/servers/servers.tsx";
import { readServersSearch } from "../screens/servers/servers-search.ts";
import { readTabSearch } from "../screens/tools/tools-search.ts";
import { t } from "../words/messages.ts";
import { Layout } from "./layout.tsx";

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound });

const servers = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: readServersSearch,
  component: Servers,
});
const server = createRoute({
  getParentRoute: () => root,
  path: "/servers/$name",
  component: lazyRouteComponent(() => import("../screens/server/server.tsx"), "ServerScreen"),
});
const serverTab = createRoute({
  getParentRoute: () => root,
  path: "/servers/$name/$tab",
  validateSearch: readTabSearch,
  component: lazyRouteComponent(() => import("../screens/server/server.tsx"), "ServerScreen"),
});
const add = createRoute({
  getParentRoute: () => root,
  path: "/add",
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
    typeof from === "string" ? { from: from.slice(0, 500) } : {},
  component: lazyRouteComponent(() => import("../screens/add/add.tsx"), "Add"),
});
const registry = createRoute({
  getParentRoute: () => root,
  path: "/registry",
  component: lazyRouteComponent(() => import("../screens/registry/registry.tsx"), "Registry"),
});
const entry = createRoute({
  getParentRoute: () => root,
  path: "/registry/$entry",
  component: lazyRouteComponent(() => import("../screens/registry/entry.tsx"), "Entry"),
});
const registryGroup = createRoute({
  getParentRoute: () => root,
  path: "/registry-groups/$source/$group",
  component: lazyRouteComponent(() => import("../screens/group-run/run-group.tsx"), "RunGroup"),
});
const groups = createRoute({
  getParentRoute: () => root,
  path: "/groups",
  component: lazyRouteComponent(() => import("../screens/groups/groups.tsx"), "Groups"),
});
const group = createRoute({
  getParentRoute: () => root,
  path: "/groups/$name",
  component: lazyRouteComponent(() => import("../screens/groups/group.tsx"), "GroupScreen"),
});
const set = createRoute({
  getParentRoute: () => root,
  path: "/open-set",
  component: lazyRouteComponent(() => import("../screens/sets/open-set.tsx"), "OpenSet"),
});
const share = createRoute({
  getParentRoute: () => root,
  path: "/share-set",
  validateSearch: ({ group }: Record<string, unknown>): { group?: string } =>
    typeof group === "string" && group !== "" ? { group: group.slice(0, 100) } : {},
  component: lazyRouteComponent(() => import("../screens/sets/share-set.tsx"), "ShareSet"),
});
const clients = createRoute({
  getParentRoute: () => root,
  path: "/clients",
  component: lazyRouteComponent(() => import("../screens/clients/clients.tsx"), "Clients"),
});
const secrets = createRoute({
  getParentRoute: () => root,
  path: "/secrets",
  component: lazyRouteComponent(() => import("../screens/secrets/secrets.tsx"), "Secrets"),
});
const doctor = createRoute({
  getParentRoute: () => root,
  path: "/doctor",
  component: lazyRouteComponent(() => import("../screens/doctor/doctor.tsx"), "Doctor"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("../screens/settings/settings.tsx"), "Settings"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    servers,
    server,
    serverTab,
    add,
    groups,
    group,
    set,
    share,
    registry,
    entry,
    registryGroup,
    clients,
    secrets,
    doctor,
    settings,
  ]),
  scrollRestoration: true,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return <PageHead title={t("app.notFound")} />;
}
