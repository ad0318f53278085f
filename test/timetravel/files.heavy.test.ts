import { allFiles } from "./file-cases.ts";

// OPENCLAW_RELEASES=2026.4.29 plays them on other releases, which must be installed and patched.
for (const release of process.env["OPENCLAW_RELEASES"]?.split(",") ?? ["2026.9.6"]) allFiles(release);
