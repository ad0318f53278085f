import { treat } from "../../recovery/treatment.ts";
import { routeMemoryOf } from "../base/memory.ts";

/** How long a route is sent no pictures after it has refused some: its model may have learned to see since. */
const FORGOTTEN_AFTER_MS = 7 * 24 * 3_600_000;

/** Remembers that a route takes no pictures. */
export function learnNoMedia(route: string): void {
  routeMemoryOf(route).takesNoMediaSince = Date.now();
}

/** Returns the messages as the route takes them, as far as that is learned; the same list where nothing is. */
export function forRoute(route: string, messages: unknown[]): unknown[] {
  const { takesNoMediaSince = -Infinity } = routeMemoryOf(route);
  return Date.now() - takesNoMediaSince < FORGOTTEN_AFTER_MS
    ? treat(messages, { kind: "without_media", ofRoute: true })
    : messages;
}
