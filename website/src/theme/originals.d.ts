/** Originals of the theme's components that this site wraps. */
declare module "@theme-original/DocBreadcrumbs" {
  export { default } from "@theme/DocBreadcrumbs";
}
declare module "@theme-original/DocItem/Footer" {
  export { default } from "@theme/DocItem/Footer";
}
declare module "@theme-original/Navbar/MobileSidebar" {
  export { default } from "@theme/Navbar/MobileSidebar";
}
declare module "@theme-original/NavbarItem/DropdownNavbarItem/Desktop" {
  export { default, type Props } from "@theme/NavbarItem/DropdownNavbarItem/Desktop";
}
