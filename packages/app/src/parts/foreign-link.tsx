/** An address from outside: it is shown whole before anybody opens it, and only the web's schemes are links. */
export function ForeignLink({ url, label }: { readonly url: string; readonly label: string }) {
  if (!/^https?:\/\//i.test(url)) return <span>{url}</span>;
  return (
    <>
      {label}:{" "}
      <a href={url} target="_blank" rel="noreferrer noopener">
        {url}
      </a>
    </>
  );
}
