import { type WireViolation } from "./model.ts";
/** Facts about a request that are not in its body. */
export interface BodyOptions {
    /** The model's id, for rules that depend on the model, where the body does not contain it. */
    model?: string;
}
/**
 * Returns every rule of the API that a request body breaks; an empty list for a valid body and for an unknown API.
 *
 * @param api OpenClaw's name of the API, e.g. `anthropic-messages`.
 * @param body The final request body as the adapter passes it to `onPayload`. Any value may be given; never throws.
 * @returns rule and path of each violation, no content.
 */
export declare function check(api: string, body: unknown, options?: BodyOptions): WireViolation[];
/**
 * Returns the body with a history that breaks no rule of the API: {@link check} finds nothing in it. A valid body is
 * returned as the same object, any other as a copy in which valid blocks are still the same objects. No text, call or
 * result is dropped: content that cannot be sent in its form becomes text, results move to their calls, clashing ids
 * are replaced. Idempotent; the same body gives the same bytes.
 *
 * A body that is no object, or of an unknown API, is returned as it is.
 */
export declare function heal<T>(api: string, body: T, options?: BodyOptions): T;
