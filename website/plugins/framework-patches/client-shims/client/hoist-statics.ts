/** In the place of hoist-non-react-statics: the framework wraps only its own components in `withRouter`, and none has statics. */
export default function hoistStatics<Component>(wrapper: Component): Component {
  return wrapper;
}
