/** The framework's own `window.docusaurus`, under the alias that `plugins/polite-prefetch` gives it. */
declare module "stock-docusaurus-global" {
  const stock: {
    /** `false` when the connection is slow, data is saved, or the route was fetched before. */
    readonly prefetch: (routePath: string) => Promise<unknown> | false;
    readonly preload: (routePath: string) => Promise<unknown> | false;
  };
  export default stock;
}
