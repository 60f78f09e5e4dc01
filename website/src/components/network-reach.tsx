/** What a server may reach with which settings, in the words in which `thv` and the application say it. */
import { ScrollTable } from "@site/src/components/scroll-table.tsx";
import { NETWORK_REACH } from "@toolhive/core/facts/network-reach";

export function NetworkReach() {
  return (
    <ScrollTable>
      <thead>
        <tr>
          <th scope="col">Network limited</th>
          <th scope="col">Its profile lists</th>
          <th scope="col">What the server may reach</th>
        </tr>
      </thead>
      <tbody>
        {NETWORK_REACH.map(({ profile, isLimited, reach }) => (
          <tr key={`${profile} ${isLimited}`}>
            <td>{isLimited ? "Yes" : "No"}</td>
            <td>
              {profile.split("`").map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}
            </td>
            <td>{reach}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
