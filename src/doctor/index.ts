/**
 * Reports on the state of all stored sessions: `makeCheckup` collects, `reportLines` shows in a terminal,
 * `renderCheckupPage` makes an HTML page.
 */
export { briefPatchLines, briefSessionLines } from "./brief.ts";
export {
  type CheckedSession,
  type Checkup,
  type GatewayAtHand,
  type OpenClawAtHand,
  WORK_NEEDS,
  type WorkNeed,
} from "./checkup.ts";
export { findOrigin, type Origin } from "./why.ts";
export { whyLines } from "./why-lines.ts";
export { gatewaySentences, gatewayStep, isGuarded, RESTART } from "./gateways.ts";
export { renderCheckupPage } from "./html/page.ts";
export { makeCheckup, type CheckupOptions } from "./make-checkup.ts";
export { patchSentences, protectionBy } from "./patched.ts";
export { learnedRoutes, type LearnedRoute, learnedRoutesIn as readRoutes, routeLines } from "./routes.ts";
export { printable } from "./printable.ts";
export { reportLines } from "./report.ts";
export { hasFaults, nextStep } from "./words.ts";
