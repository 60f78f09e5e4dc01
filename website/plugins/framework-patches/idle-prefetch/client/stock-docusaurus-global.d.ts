/** The framework's own `window.docusaurus`, under the alias that `plugins/framework-patches/idle-prefetch` gives it. */
declare module "stock-docusaurus-global" {
  const stock: {
    /**
     * `false` when the connection is slow, data is saved, or the route was fetched before; otherwise what
     * `prefetch-bundle.ts` returned for each bundle, `undefined` for one that is part of another.
     */
    readonly prefetch: (routePath: string) => Promise<readonly (number | undefined)[]> | false;
    readonly preload: (routePath: string) => Promise<unknown> | false;
  };
  export default stock;
}
