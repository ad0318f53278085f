import { sameBytes } from "./same-bytes.ts";

// 2026.9.6 takes a minute: control-group.heavy.test.ts.
sameBytes("2026.2.3");
