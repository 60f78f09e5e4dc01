/** Text of a hit with its matches marked. Only `<mark>` survives: an index cannot put other markup on the page. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&#x27;": "'",
};

export function Highlighted({ html }: { readonly html: string }) {
  let offset = 0;
  // Every part after the first begins where a mark does, and has its end in it; without one it is no mark.
  return html.split("<mark>").flatMap((part, index) => {
    const key = offset;
    offset += part.length + "<mark>".length;
    const end = index === 0 ? -1 : part.indexOf("</mark>");
    if (end === -1) return <span key={key}>{decode(index === 0 ? part : `<mark>${part}`)}</span>;
    const after = key + end;
    return [
      <mark key={`${key} mark`}>{decode(part.slice(0, end))}</mark>,
      <span key={after}>{decode(part.slice(end + "</mark>".length))}</span>,
    ];
  });
}

function decode(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#39|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}
