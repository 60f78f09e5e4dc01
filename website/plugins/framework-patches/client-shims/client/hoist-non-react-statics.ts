/** Copies no static members: the router's `withRouter` wraps components that have none. */
export default function hoistNonReactStatics<Component>(target: Component): Component {
  return target;
}
