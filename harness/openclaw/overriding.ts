import type { Session } from "../../src/integrity/index.ts";

/** An operation of a session that changes it. */
type Operation = "persistToolCycle" | "moveLeaf";

/** The session, but for one operation, which does something else, with the session's own at hand. */
export function overriding(
  session: Session,
  operation: Operation,
  replacement: (own: () => Promise<void>) => Promise<void>,
): Session {
  return new Proxy(session, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      if (name !== operation) return value.bind(target) as unknown;
      return (...given: unknown[]) => replacement(() => value.apply(target, given) as Promise<void>);
    },
  });
}

/** The session, but for one operation that fails. */
export function failing(session: Session, operation: Operation, reason: string): Session {
  return overriding(session, operation, () => Promise.reject(new Error(reason)));
}
