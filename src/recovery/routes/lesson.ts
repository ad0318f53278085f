/** What a refusal or an answer proves of its route, compared with the request that it is about. */
import { isObject } from "../../transcript/json/json.ts";
import { latestTime } from "../forms/times.ts";
import { type Treatment, treat } from "../forms/treatment.ts";
import type { RouteFact } from "../route-fact.ts";
import { shapeBody } from "./body.ts";
import { ofRoute } from "./shape.ts";

/** A request that was made: the messages from which its body was built, and the body where it is known. */
export interface MadeRequest {
  readonly messages: readonly unknown[];
  readonly body?: unknown;
}

/** Returns those of the facts that speak against a request: a route of which they are true would not take it. */
export function against<Fact extends RouteFact>(facts: readonly Fact[], request: MadeRequest): Fact[] {
  return facts.filter((fact) =>
    fact.what === "no_trailing_assistant" ? endsWithAssistant(request) : changesRequest(ofRoute([fact]), request),
  );
}

function endsWithAssistant({ messages }: MadeRequest): boolean {
  const last = messages.at(-1);
  return isObject(last) && last.role === "assistant";
}

/** Facts that an answer can show to be wrong: the request that was answered holds what they say the route refuses. */
const SHOWN: ReadonlySet<RouteFact["what"]> = new Set([
  "no_pictures",
  "most_pictures",
  "largest_picture",
  "longest_side",
  "longest_side_of_many",
  "no_documents",
  "text_only",
  "no_new_types",
  "no_developer_role",
  "no_system_role",
]);

/** Returns those of the facts that the answer to a request has shown to be wrong. */
export function refutedBy<Fact extends RouteFact>(facts: readonly Fact[], answered: MadeRequest): Fact[] {
  return against(
    facts.filter(({ what }) => SHOWN.has(what)),
    answered,
  );
}

/** True when a treatment would change the messages of a request, or its body. */
export function changesRequest(treatment: Treatment, { messages, body }: MadeRequest): boolean {
  const list = [...messages];
  if (treat(list, treatment).some((message, at) => message !== messages[at])) return true;
  if (treatment.kind !== "of_route" || !isObject(body)) return false;
  return shapeBody(body, treatment.facts) !== body;
}

/**
 * Returns which of the facts that a refusal states in known words its request proves: the size of the context, and what
 * the request goes against. A limit that the request keeps is not the reason; its words may be somebody else's that the
 * error quotes.
 */
export function findLessons(said: readonly RouteFact[], request: MadeRequest): RouteFact[] {
  const facts = said.filter((fact) => fact.what === "context_size" || against([fact], request).length > 0);
  const isText = facts.some(({ what }) => what === "text_only");
  // A picture is always part of a list.
  const pictures: RouteFact = { what: "no_pictures" };
  return isText && against([pictures], request).length > 0 ? [...facts, pictures] : facts;
}

/** Returns the form in which the same request does not go against what it has taught; undefined where there is none. */
export function taughtTreatment(lessons: readonly RouteFact[], request: MadeRequest): Treatment | undefined {
  const treatment = ofRoute(lessons);
  return lessons.length > 0 && changesRequest(treatment, request) ? treatment : undefined;
}

/** Returns what an answer after a treatment proves of its route. `messages` are those that were refused. */
export function factsBehind(treatment: Treatment, messages: readonly unknown[]): readonly RouteFact[] {
  switch (treatment.kind) {
    case "of_route":
      return treatment.facts;
    case "strict_roles":
      return [{ what: "strict_roles" }];
    case "without_thinking": {
      const until = latestTime(messages);
      return treatment.ids === undefined && until !== undefined ? [{ what: "no_earlier_thinking", until }] : [];
    }
    default:
      return [];
  }
}

/** True for a treatment that is to be remembered for the history, whether or not it also tells of its route. */
export function isOfHistory({ kind }: Treatment): boolean {
  return kind !== "of_route" && kind !== "strict_roles";
}
