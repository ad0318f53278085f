import { allFiles } from "./file-cases.ts";

// 2026.9.6 takes files along in rows.slow.test.ts; all of it: files.heavy.test.ts.
allFiles("2026.2.3");
