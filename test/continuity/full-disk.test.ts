import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runOnSmallDisk, smallDiskRefusal } from "../journal/small-disk.ts";

const refusal = smallDiskRefusal();
const DRIVE = fileURLToPath(new URL("full-disk.ts", import.meta.url));

it.skipIf(refusal)(
  `a disk that fills up at any commit is named as that, executes nothing twice, and damages nothing${refusal ? `: ${refusal}` : ""}`,
  () => {
    expect(runOnSmallDisk(2048, DRIVE)).toEqual({
      said: {
        goal: "not-writable",
        lease: "not-writable",
        "step begun on a full disk": "not-writable",
        "step with room": "done",
        "step that fills the disk": "not-writable",
        "the same again on the full disk": "step-open",
        "the same again with room": "step-open",
      },
      ran: { early: 1, late: 1 },
      open: ["late"],
      damages: 0,
    });
  },
);
