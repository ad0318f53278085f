import { settles } from "./settled-cases.ts";

// The journal is the same on 2026.9.6: settled.heavy.test.ts.
settles("2026.2.3");
