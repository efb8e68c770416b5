import "./style.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./App";
import { Session } from "./session";

const root = document.getElementById("root");
if (!root) throw new Error('index.html has no "root"');

createRoot(root).render(
  <StrictMode>
    <App session={new Session()} name={"Say \"hi\" & <wave>"} />
  </StrictMode>,
);
