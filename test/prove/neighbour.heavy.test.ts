import { describe } from "vitest";
import { canPlay, takesNoPart } from "./neighbour.ts";

describe.skipIf(!canPlay())("another user of the machine", () => {
  takesNoPart("2026.9.6");
});
