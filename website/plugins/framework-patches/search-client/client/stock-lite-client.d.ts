/** The stock client behind the alias `stock-lite-client`, as far as this plugin uses it. */
declare module "stock-lite-client" {
  export interface LiteClient {
    readonly transporter: import("./transport.ts").SearchTransporter;
    search(requests: unknown): Promise<unknown>;
    addAlgoliaAgent(segment: string, version?: string): void;
  }
  export function liteClient(appId: string, apiKey: string, options?: Record<string, unknown>): LiteClient;
}
