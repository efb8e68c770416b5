import "./style.css";

import { lazy, StrictMode, Suspense, type ComponentType } from "react";
import { createRoot } from "react-dom/client";

import { Providers } from "./Providers";
import { Talk } from "./Talk";

const root = document.getElementById("root");
if (!root) throw new Error('index.html has no "root"');

// The developer drawer, with `npm run dev` only. Delete `Developer.tsx` to remove it.
const drawers = import.meta.env.DEV
  ? Object.values(import.meta.glob<{ default: ComponentType }>("./Developer.tsx")).map((load) => lazy(load))
  : [];

createRoot(root).render(
  <StrictMode>
    <Providers>
      <Talk name={"Say \"hi\" & <wave>"} />
      {drawers.map((Drawer, at) => (
        <Suspense key={at}>
          <Drawer />
        </Suspense>
      ))}
    </Providers>
  </StrictMode>,
);
