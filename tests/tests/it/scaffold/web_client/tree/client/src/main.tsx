import "./style.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { Session } from "./session";
import { Talk } from "./Talk";

const root = document.getElementById("root");
if (!root) throw new Error('index.html has no "root"');

createRoot(root).render(
  <StrictMode>
    <Talk session={new Session()} name={"Say \"hi\" & <wave>"} />
  </StrictMode>,
);
