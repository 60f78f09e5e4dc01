/** What the pages of package registries show. */

/** @param {ReturnType<typeof import("./brand.mjs").readBrand>} brand */
export function formatReadme({ command, links, packages, product }) {
  const documentation = links.source === "" ? "" : `\nThe documentation and the sources: ${links.source}\n`;
  return `# ${packages.npm}

The command line of ${product} in TypeScript: \`${command}\` runs MCP servers in containers and connects clients to them.

\`\`\`bash
npm install --global ${packages.npm}
${command} run fetch
${command} list
\`\`\`

It needs Node.js 20.19 or newer, and Docker or Podman. \`${command} doctor\` says what is missing and how to mend it;
\`${command} help\` lists the commands.
${documentation}
## Remove it

\`\`\`bash
${command} rm --all --yes
npm uninstall --global ${packages.npm}
\`\`\`
`;
}
