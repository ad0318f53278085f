/** How all stored sessions stand, for a person to read: in a terminal, and as a page. */
export type { CheckedSession, Checkup } from "./checkup.ts";
export { pageOf } from "./html/page.ts";
export { makeCheckup, type CheckupOptions } from "./make-checkup.ts";
export { reportLines } from "./report.ts";
export { hasFaults, nextStep } from "./words.ts";
