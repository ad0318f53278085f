import { hello } from "../../harness/providers/client.ts";
import type { Api } from "../../harness/providers/index.ts";

/** The path at which an API is asked for an answer that streams. */
export function pathFor(api: Api): string {
  return hello(api).path;
}
