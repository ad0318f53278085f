import { neverWorse } from "./sample.ts";

// 2026.9.6, which starts twice for it: sample.heavy.test.ts.
neverWorse("2026.2.3");
