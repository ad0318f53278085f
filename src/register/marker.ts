/** What the hook tells other code in the same thread: a property of `globalThis` that bundles of ours share. */

/** One OpenClaw of this thread. */
export interface Registered {
  readonly root: string;
  readonly release: string;
  readonly patchSet: string;
  /** Why OpenClaw runs without the patch; undefined when it runs with it. */
  readonly refused?: string;
}

const MARKER = Symbol.for("openclaw-integrity.register");

/** Records what became of an OpenClaw in this thread. */
export function markRegistered(one: Registered): void {
  const others = all().filter(({ root }) => root !== one.root);
  (globalThis as Record<symbol, unknown>)[MARKER] = [...others, one];
}

/** What became of the OpenClaw in `root` in this thread; undefined where the hook is not there or has not seen it. */
export function registeredHere(root: string): Registered | undefined {
  return all().find((one) => one.root === root);
}

function all(): readonly Registered[] {
  const value = (globalThis as Record<symbol, unknown>)[MARKER];
  return Array.isArray(value) ? (value as readonly Registered[]) : [];
}
