import { partKeyOf } from "../../recovery/forms/parts.ts";
import { isObject } from "../../transcript/json/json.ts";

/** The newest question of a conversation, and the route that is asked. */
export interface AskedQuestion {
  readonly route: string;
  /** Of {@link partKeyOf}. */
  readonly question: string;
}

/** Returns the newest question among the messages, as it is asked on a route. */
export function questionIn(messages: readonly unknown[], route: string): AskedQuestion {
  const question = messages.findLast((message) => isObject(message) && message.role === "user");
  return { route, question: partKeyOf(question) };
}

/** True for the same question on the same route. */
export function isSameQuestion(one: AskedQuestion | undefined, other: AskedQuestion): boolean {
  return one?.route === other.route && one.question === other.question;
}
