"use client";

import { Talk } from "../Talk";

export default function Page() {
  return <Talk name={"Say \"hi\" & <wave>"} />;
}
