/** What a person looks for in recorded work: the state of each project, and an HTML page of it. */
export { isInProgress, type LeaseView } from "./lease-view.ts";
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
