import type { JsonObject } from "../transcript/json/json.ts";
import type { RequestOptions } from "../wire/heal.ts";
import { heal, type Healing } from "../wire/public.ts";
import type { ModelRequest } from "./request.ts";

/** A body with a valid history. */
export interface HealedBody {
  /** The same object as the given one where its history is valid. */
  readonly body: JsonObject;
  readonly healings: readonly Healing[];
}

/** What is known of a request beside its body. */
export function aboutRequest({ endpoint: { host, model } }: ModelRequest): RequestOptions {
  return { host, ...(model !== undefined && { model }) };
}

/** Heals the body of a request, or another one in its place. */
export function healBody(request: ModelRequest, body = request.body): HealedBody {
  let healings: readonly Healing[] = [];
  const onHealed = (found: readonly Healing[]): void => void (healings = found);
  return { body: heal(request.endpoint.api, body, { ...aboutRequest(request), onHealed }), healings };
}
