/** The entry of the application. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { MESSAGES } from "./messages.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element for the application.");
createRoot(root).render(
  <StrictMode>
    <h1>{MESSAGES["app.name"]}</h1>
  </StrictMode>,
);
