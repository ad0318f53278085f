import { canaries } from "./canary-cases.ts";

// 2026.9.6 takes minutes: canary.heavy.test.ts.
canaries("2026.2.3");
