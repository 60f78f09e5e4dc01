/**
 * The theme's menu of narrow screens, made when it is first opened: it holds the whole sidebar once more, and a phone would
 * make it in the middle of its first work on every page.
 */
import { useNavbarMobileSidebar } from "@docusaurus/theme-common/internal";
import MobileSidebar from "@theme-original/Navbar/MobileSidebar";
import { useState } from "react";

export default function MobileSidebarOnDemand() {
  const { shown } = useNavbarMobileSidebar();
  const [wasShown, setWasShown] = useState(false);
  if (shown && !wasShown) setWasShown(true);
  return wasShown && <MobileSidebar />;
}
