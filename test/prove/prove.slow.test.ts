import { proves } from "./proves.ts";

// 2026.9.6 takes a minute: prove.heavy.test.ts.
proves(["2026.2.3"]);
