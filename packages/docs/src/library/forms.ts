/** The forms of the product: which pages are about one of them only, and which words of a question name one. */

/** The forms of the product that a question may be about. */
export const FORMS = ["cli", "ui", "kubernetes", "api"] as const;
export type Form = (typeof FORMS)[number];

/** Pages of one form, by the part of the path behind the documentation's segment; all others are of every form. */
const FORM_PATHS: Readonly<Record<Form, RegExp>> = {
  cli: /^\/(?:guides-cli|reference\/cli|tutorials\/quickstart-cli)(?:\/|$)/,
  ui: /^\/(?:guides-ui|tutorials\/quickstart-ui)(?:\/|$)/,
  kubernetes:
    /^\/(?:guides-k8s|tutorials\/quickstart-k8s|reference\/crd-spec|reference\/cli\/thv_(?:k8s|operator)\w*)(?:\/|$)/,
  api: /^\/(?:reference\/api|guides-cli\/api-server)(?:\/|$)/,
};

/** Words by which a question names a form; the first that has one of its words is meant. */
export const FORM_WORDS: Readonly<Record<Exclude<Form, "cli">, RegExp>> = {
  kubernetes:
    /\b(?:kubernetes|k8s|kubectl|helm|operator|cluster|crds?|pods?|manifests?|mcp(?:server|group|remoteproxy|toolconfig)s?)\b/i,
  api: /\b(?:rest|openapi|endpoints?|http api|local api|the api|request body|curl)\b/i,
  ui: /\b(?:toolhive ui|the ui|graphical|desktop app|in the app|click|button|screen)\b/i,
};

/** Whether a page is about a form, or about every form. @param path Of a page, from the root of the site. */
export function isOfForm(path: string, form: Form): boolean {
  const below = path.replace(/^\/[^/]+/, "");
  if (FORM_PATHS[form].test(below)) return true;
  return !FORMS.some((other) => other !== form && FORM_PATHS[other].test(below));
}
