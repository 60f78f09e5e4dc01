/** Where each kind of secret may be found, from the list by which the test searches for them everywhere. */
import { ScrollTable } from "@site/src/components/scroll-table.tsx";
import { ALLOWED_PLACES, PLACES, SECRETS, type SecretKind } from "@toolhive/cli/facts/secret-places";

const KINDS = Object.keys(SECRETS) as SecretKind[];

export function SecretPlaces() {
  return (
    <ScrollTable>
      <thead>
        <tr>
          <th scope="col">Secret</th>
          <th scope="col">May be found in</th>
          <th scope="col">Because</th>
        </tr>
      </thead>
      <tbody>{KINDS.flatMap(createRows)}</tbody>
    </ScrollTable>
  );
}

function createRows(kind: SecretKind) {
  const allowed = ALLOWED_PLACES.filter(({ secret }) => secret === kind);
  const name = capital(SECRETS[kind]);
  if (allowed.length === 0) {
    return [
      <tr key={kind}>
        <td>{name}</td>
        <td>No place at all</td>
        <td />
      </tr>,
    ];
  }
  return allowed.map(({ place, why }) => (
    <tr key={`${kind} ${place}`}>
      <td>{name}</td>
      <td>{capital(PLACES[place])}</td>
      <td>{why}</td>
    </tr>
  ));
}

function capital(phrase: string): string {
  return phrase.slice(0, 1).toUpperCase() + phrase.slice(1);
}
