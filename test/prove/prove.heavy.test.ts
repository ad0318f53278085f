import { proves } from "./proves.ts";

// OPENCLAW_RELEASES=2026.8.2 proves other releases, which must be installed and patched.
proves(process.env["OPENCLAW_RELEASES"]?.split(",") ?? ["2026.9.6"]);
