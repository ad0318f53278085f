import { drives } from "./driver-cases.ts";

// `OPENCLAW_RELEASES=2026.3.8,2026.5.7 npx vitest run harness/openclaw/driven/driver.heavy` asks the same of other
// releases that are installed.
for (const release of process.env["OPENCLAW_RELEASES"]?.split(",") ?? ["2026.9.6"]) drives(release);
