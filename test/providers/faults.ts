import type { ApiAdapter, Failure, FaultName, Mark, StopKind } from "./types.ts";

/** What the server does with an accepted request. */
export type Plan =
  /** An answer, ending as `stop` says, or as its blocks ask for. */
  | { do: "answer"; tool: boolean; stop?: StopKind }
  /** An answer cut behind its last `mark`, then an error, a dropped connection, a clean end, or silence. */
  | { do: "cut"; mark: Mark; outcome: Failure | "drop" | "end" | "hang" }
  | { do: "error"; failure: Failure }
  | { do: "reject"; text: keyof ApiAdapter["rejections"] }
  | { do: "prompt-blocked" }
  | { do: "hang" };

/** Every fault of the measured list (and what the other APIs have in its place). */
export const FAULTS: Record<FaultName, Plan> = {
  "content-filter-in-tool": { do: "cut", mark: "in-tool", outcome: "content-filter" },
  "content-filter-after-tool": { do: "cut", mark: "after-tool", outcome: "content-filter" },
  "drop-in-tool": { do: "cut", mark: "in-tool", outcome: "drop" },
  "drop-after-tool": { do: "cut", mark: "after-tool", outcome: "drop" },
  "content-filter-400": { do: "error", failure: "content-filter" },
  "refusal-with-tool": { do: "answer", tool: true, stop: "refusal" },
  "overloaded-mid-stream": { do: "cut", mark: "in-tool", outcome: "overloaded" },
  // The same, but never more than once, whatever `times` says: the retry is answered.
  "overloaded-once": { do: "cut", mark: "in-tool", outcome: "overloaded" },
  "end-in-tool": { do: "cut", mark: "in-tool", outcome: "end" },
  "400-unexpected-tool-use-id": { do: "reject", text: "unexpectedResult" },
  "400-roles-alternate": { do: "reject", text: "rolesAlternate" },
  "400-missing-tool-result": { do: "reject", text: "missingResult" },
  "http-401": { do: "error", failure: "auth" },
  "http-429": { do: "error", failure: "rate-limit" },
  "http-500": { do: "error", failure: "server" },
  "http-529": { do: "error", failure: "overloaded" },
  "finish-content-filter": { do: "answer", tool: false, stop: "content-filter" },
  "prompt-blocked": { do: "prompt-blocked" },
  hang: { do: "hang" },
  "hang-in-tool": { do: "cut", mark: "in-tool", outcome: "hang" },
};

/** The call that a fault breaks when the step names none. */
export const FAULT_CALL = { name: "exec", arguments: { command: "echo one two three four five six seven eight" } };
