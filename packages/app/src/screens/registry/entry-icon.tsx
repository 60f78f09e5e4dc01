/** The icon of an entry: its own, which the supervisor fetches and checks, and the drawn one until then and without it. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { ServerIcon } from "../../parts/icon/server-icon.tsx";
import { type CatalogEntry, readFacts } from "./select-entries.ts";

interface EntryIconProps {
  readonly entry: CatalogEntry;
  readonly size?: "small" | "large";
}

export function EntryIcon({ entry, size = "small" }: EntryIconProps) {
  const { reference, has_icon: hasIcon } = entry;
  const icon = useQuery({
    queryKey: ["registry", "icon", reference],
    queryFn: () => call("getCatalogIcon", { params: { reference } }),
    enabled: hasIcon,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const src = icon.data && `data:${icon.data.media_type};base64,${icon.data.data}`;
  return <ServerIcon name={readFacts(entry).name} src={src} size={size} />;
}
