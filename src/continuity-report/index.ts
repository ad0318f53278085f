/** What a person looks for in recorded work: the state of each project, and an HTML page of it. */
export { ageText } from "./age.ts";
export { eventText, type Names, namesFor } from "./event-text.ts";
export { toStatus, renderWorkPage } from "./html/page.ts";
export type { PageProject } from "./html/page-project.ts";
export { isInProgress, leaseView, leaseWords } from "./lease-view.ts";
export {
  byNeed,
  eachProject,
  isIdle,
  isUnread,
  type Need,
  type ProjectStatus,
  projectStatus,
  type UnreadProject,
} from "./status.ts";
export { LONGEST_SENTENCE, resolvingCommand, listWorkNeeds } from "./work-needs.ts";
