/**
 * What the browser needs of `react-helmet-async`: components anywhere on a page say what its head holds, and the innermost
 * wins. The package does the same in four times the bytes, with forms of use that neither the framework nor this site has;
 * pages are still rendered with it at build time, and this keeps to its rules so that hydration finds what it would make.
 */
import {
  Children,
  Fragment,
  isValidElement,
  type PropsWithChildren,
  type ReactElement,
  type ReactNode,
  useLayoutEffect,
  useState,
} from "react";

type Attributes = Readonly<Record<string, unknown>>;

/** Marks what belongs to this module, here and in the HTML of the build. */
const OWNED = "data-rh";

/** By which attributes two tags are the same tag; the last one that a tag has counts. One that has none is not shown. */
const IDENTIFYING: Readonly<Record<string, readonly string[]>> = {
  link: ["rel", "href"],
  meta: ["name", "charset", "http-equiv", "property", "itemprop"],
  script: ["src", "innerHTML"],
  noscript: ["innerHTML"],
  style: ["innerHTML"],
};

const HTML_NAMES: Readonly<Record<string, string>> = { className: "class", httpEquiv: "http-equiv" };

/** Content of all heads on the page, outermost first. */
const heads: { children: ReactNode }[] = [];
let frame = 0;
let htmlAttributes: readonly string[] = [];

/** There is one head in a browser; the provider is for renderings on a server. */
export function HelmetProvider({ children }: PropsWithChildren) {
  return children;
}

/** `html`, `title`, `meta`, `link`, `script`, `style` and `noscript` elements, in fragments or not. Renders nothing in place. */
export function Helmet({ children }: PropsWithChildren): null {
  const [head] = useState<{ children: ReactNode }>({ children });
  useLayoutEffect(() => {
    heads.push(head);
    return () => {
      heads.splice(heads.indexOf(head), 1);
      schedule();
    };
  }, [head]);
  useLayoutEffect(() => {
    head.children = children;
    schedule();
  });
  return null;
}

/** Many heads change together: they are written once, before the next frame. */
function schedule(): void {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(write);
}

function write(): void {
  const html: Record<string, unknown> = {};
  const tags: Record<string, Attributes[]> = {};
  const seen = new Set<string>();
  let title: string | undefined;
  for (const head of heads.toReversed()) {
    // Tags of one head do not hide each other: the addresses of a page in other languages share their relation.
    const own: string[] = [];
    for (const { type, attributes } of elementsOf(head.children).toReversed()) {
      if (type === "html") for (const [name, value] of Object.entries(attributes)) html[name] ??= value;
      else if (type === "title") title ??= String(attributes.innerHTML ?? "");
      else {
        const identity = identityOf(type, attributes);
        if (identity === undefined || seen.has(identity)) continue;
        own.push(identity);
        tags[type] = [attributes, ...(tags[type] ?? [])];
      }
    }
    for (const identity of own) seen.add(identity);
  }
  if (title !== undefined && document.title !== title) document.title = title;
  for (const name of htmlAttributes) if (!(name in html)) document.documentElement.removeAttribute(name);
  for (const [name, value] of Object.entries(html)) setAttribute(document.documentElement, name, String(value ?? ""));
  htmlAttributes = Object.keys(html);
  for (const type of Object.keys(IDENTIFYING)) writeTags(type, tags[type] ?? []);
}

/** Setting what is there already would make the browser look for its styles on the whole page. */
function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function elementsOf(children: ReactNode): { type: string; attributes: Attributes }[] {
  return Children.toArray(children).flatMap((child) => {
    if (!isValidElement(child)) return [];
    const { type, props } = child as ReactElement<Record<string, unknown>>;
    if (type === Fragment) return elementsOf(props.children as ReactNode);
    const attributes = Object.entries(props).map(([name, value]) =>
      name === "children" ? ["innerHTML", [value].flat().join("")] : [HTML_NAMES[name] ?? name, value],
    );
    return [{ type: String(type), attributes: Object.fromEntries(attributes) }];
  });
}

function identityOf(type: string, attributes: Attributes): string | undefined {
  let identity: string | undefined;
  for (const [name, value] of Object.entries(attributes)) {
    const key = name === "innerHTML" ? name : name.toLowerCase();
    const text = String(value).toLowerCase();
    const isKey = value && IDENTIFYING[type]?.includes(key) && !(key === "rel" && text === "stylesheet");
    // A page has one canonical address, whatever it is.
    if (isKey && identity !== "link rel canonical") identity = `${type} ${key} ${text}`;
  }
  return identity;
}

/** Leaves alone what is there already: a new element of a style or a script would be loaded again. */
function writeTags(type: string, wanted: readonly Attributes[]): void {
  const old = [...document.head.querySelectorAll(`${type}[${OWNED}]`)];
  for (const { innerHTML, ...attributes } of wanted) {
    const tag = document.createElement(type);
    if (innerHTML !== undefined) tag.innerHTML = String(innerHTML);
    for (const [name, value] of Object.entries(attributes)) tag.setAttribute(name, String(value ?? ""));
    tag.setAttribute(OWNED, "true");
    const same = old.findIndex((other) => other.isEqualNode(tag));
    if (same === -1) document.head.append(tag);
    else old.splice(same, 1);
  }
  for (const tag of old) tag.remove();
}
