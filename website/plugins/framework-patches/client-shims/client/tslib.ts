/** The one function of tslib that the framework's common utilities call. Another one would fail the build by its name. */
export function __importDefault(module: { readonly __esModule?: boolean } | null | undefined): unknown {
  return module?.__esModule ? module : { default: module };
}
