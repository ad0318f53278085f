import { v5 as uuidOfName } from "uuid";

/** UUID namespace of workflow ids: a project has the same id on every machine. */
const PROJECT_NAMESPACE = "6f636963-6f6e-5074-8a6e-756974790002";

/** Returns the id of a project's workflow, which follows from the project's name. */
export function workflowId(project_id: string): string {
  return uuidOfName(project_id, PROJECT_NAMESPACE);
}
