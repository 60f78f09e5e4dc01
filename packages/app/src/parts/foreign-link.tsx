import { isWebAddress } from "@toolhive/core/web-address";

/** An address from outside: it is shown whole before anybody opens it, and only what a browser may open is a link. */
export function ForeignLink({ url, label }: { readonly url: string; readonly label: string }) {
  if (!isWebAddress(url)) return <span>{url}</span>;
  return (
    <>
      {label}:{" "}
      <a href={url} target="_blank" rel="noreferrer noopener">
        {url}
      </a>
    </>
  );
}
