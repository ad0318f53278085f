import { expect, it } from "vitest";
import { headerText } from "./header.ts";

it("the header of the guard names what it contains with the terms of each, and ends where it ends", () => {
  const bundled = [
    { name: "pad", version: "1.2.3", licence: "ISC", texts: ["Copyright P\n\nGranted */ always.", "Notice"] },
  ];
  const header = headerText("0.9.0", "Our terms\n\nin two parts\n", bundled);
  expect(header.split("\n")).toEqual([
    "/*!",
    " * openclaw-integrity 0.9.0: the guard. Lines in OpenClaw's own files call what it exports.",
    " * It contains code of the packages named below.",
    " *",
    " * Our terms",
    " *",
    " * in two parts",
    " *",
    " * pad 1.2.3 (ISC)",
    " *",
    " * Copyright P",
    " *",
    " * Granted * / always.",
    " *",
    " * Notice",
    " */",
    "",
  ]);
  expect(headerText("0.9.0", "Our terms", [])).toContain(" * It contains no code of other packages.\n");
});
