/**
 * The kinds of navbar items that this site has. The stock list brings the code of six more to every page; a new kind in
 * `site-config.ts` is named here, too, and its absence fails the build.
 */
import DefaultNavbarItem from "@theme/NavbarItem/DefaultNavbarItem";
import DropdownNavbarItem from "@theme/NavbarItem/DropdownNavbarItem";
import SearchNavbarItem from "@theme/NavbarItem/SearchNavbarItem";

export default { default: DefaultNavbarItem, dropdown: DropdownNavbarItem, search: SearchNavbarItem };
