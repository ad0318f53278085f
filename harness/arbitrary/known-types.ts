import { shapeBody } from "../../src/recovery/routes/body.ts";
import { heal } from "../../src/wire/index.ts";
import type { ModelApi } from "../corpus/case.ts";

/**
 * Returns a healed body as a server gets it that has refused a type that no known form has: strict servers know no
 * other types. The same body where there is none.
 */
export function withKnownTypes<T extends object>(api: ModelApi, healed: T): T {
  return heal(api, shapeBody(healed as Record<string, unknown>, [{ what: "no_new_types" }])) as T;
}
