/** What `thv operator` starts. */
export { type BindAddress, parseBindAddress } from "./bind-address.ts";
export { type OperatorOptions, runOperator } from "./run-operator.ts";
