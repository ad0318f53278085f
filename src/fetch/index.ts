/** A `fetch` after which no history makes a request to a model fail. */
export { healingFetch, type HealedRequest, type HealingFetchOptions } from "./healing-fetch.ts";
export type { CallRecords, RecordedCall, SentHistory } from "../transcript/recorded-calls.ts";
