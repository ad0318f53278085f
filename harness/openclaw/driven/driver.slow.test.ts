import { drives } from "./driver-cases.ts";

// 2026.9.6 is driven by many others; the same of it: driver.heavy.test.ts.
drives("2026.2.3");
