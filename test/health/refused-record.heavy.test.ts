import { test } from "vitest";
import { refusedUntilRepaired } from "./refusing-gateway.ts";

test.each(["stock", "patched"])(
  "OpenClaw 2026.9.6 %s refuses the records also after a restart, and answers after a repair, also after the next one",
  (variant) => refusedUntilRepaired(variant, true),
);
