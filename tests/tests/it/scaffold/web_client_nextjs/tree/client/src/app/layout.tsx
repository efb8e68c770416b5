import "../style.css";

import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";

import { Providers } from "../Providers";

export const metadata: Metadata = { title: "Say \"hi\" & <wave>", icons: { icon: "data:," } };

export const viewport: Viewport = { colorScheme: "light dark", interactiveWidget: "resizes-content" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <noscript>This page needs JavaScript.</noscript>
        <Providers>{children}</Providers>
      </body>
    </html>
  );
}
