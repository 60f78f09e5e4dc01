/** The one helper of `tslib` that the framework's client uses; the package brings all of them to every page. */
export function __importDefault<Module extends { __esModule?: boolean }>(module: Module): Module | { default: Module } {
  return module.__esModule ? module : { default: module };
}
