import { soakSample } from "./sample.ts";

// 2026.9.6 takes a minute: sample.heavy.test.ts.
soakSample("2026.2.3");
