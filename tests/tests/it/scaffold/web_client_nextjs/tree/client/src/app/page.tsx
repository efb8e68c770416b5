"use client";

import { useState } from "react";

import { Session } from "../session";
import { Talk } from "../Talk";

export default function Page() {
  const [session] = useState(() => new Session());
  return <Talk session={session} name={"Say \"hi\" & <wave>"} />;
}
