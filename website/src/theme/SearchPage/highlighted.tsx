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
  return html.split(/(<mark>.*?<\/mark>)/).map((part) => {
    const key = offset;
    offset += part.length;
    const match = /^<mark>(.*)<\/mark>$/.exec(part);
    return match === null ? <span key={key}>{decode(part)}</span> : <mark key={key}>{decode(match[1] ?? "")}</mark>;
  });
}

function decode(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#39|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}
