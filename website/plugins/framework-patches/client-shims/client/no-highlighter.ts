/** What the theme touches of the highlighter at start: an object to add languages to, and no themes. */
export const Prism = { languages: {} };
export const themes = { palenight: { plain: {}, styles: [] } };
