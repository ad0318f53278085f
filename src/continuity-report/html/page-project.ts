import type { LedgerEvent, WorkState } from "../../continuity/index.ts";
import type { ProjectStatus } from "../status.ts";

/** A project with what the page shows of it. */
export interface PageProject {
  readonly status: ProjectStatus;
  readonly state: WorkState;
  /** The last events, the latest first, each in a few words. */
  readonly events: readonly (Pick<LedgerEvent, "event_seq" | "timestamp" | "author"> & { readonly text: string })[];
}
