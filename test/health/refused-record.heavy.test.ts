import { test } from "vitest";
import { repairedByPlugin } from "./plugin-repairs.ts";
import { REFUSED } from "./refused-records.ts";
import { refusedUntilRepaired } from "./refusing-gateway.ts";

test.each(["stock", "patched"])(
  "OpenClaw 2026.9.6 %s refuses the records also after a restart, and answers after a repair, also after the next one",
  (variant) => refusedUntilRepaired(variant, REFUSED, true),
);

test("records that OpenClaw 2026.9.6 refuses are repaired by the plugin when the gateway starts", () =>
  repairedByPlugin(REFUSED));
