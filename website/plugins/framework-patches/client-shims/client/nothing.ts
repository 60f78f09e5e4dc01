/** In place of a component of the theme whose feature this site does not have. */
export default function Nothing(): null {
  return null;
}
