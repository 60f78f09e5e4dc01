/** The menu of the bar, which Escape closes, whether a key or the pointer has opened it (WCAG 1.4.13). */
import DesktopDropdown, { type Props } from "@theme-original/NavbarItem/DropdownNavbarItem/Desktop";
import { useEffect, useRef } from "react";

export default function DropdownWithEscape(props: Props) {
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const dropdown = place.current?.querySelector<HTMLElement>(".dropdown");
      if (event.key === "Escape" && dropdown) closeDropdown(dropdown);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);

  return (
    <div ref={place} className="bar-menu">
      <DesktopDropdown {...props} />
    </div>
  );
}

function closeDropdown(dropdown: HTMLElement): void {
  const isOpen = dropdown.classList.contains("dropdown--show");
  if (!isOpen && !dropdown.matches(":hover")) return;
  const menu = dropdown.querySelector(".dropdown__menu");
  if (menu?.contains(document.activeElement)) dropdown.querySelector<HTMLElement>(".navbar__link")?.focus();
  // The stock component keeps to itself whether it is open; a press elsewhere is what closes it.
  if (isOpen) document.body.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  // The pointer may be over it still: the stylesheet keeps it closed until a key is pressed in it, or the pointer comes again.
  dropdown.dataset.dismissed = "";
  dropdown.addEventListener("mouseenter", () => delete dropdown.dataset.dismissed, { once: true });
  dropdown.addEventListener("keydown", () => delete dropdown.dataset.dismissed, { once: true });
}
