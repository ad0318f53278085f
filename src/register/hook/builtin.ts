/**
 * Builtin modules for the part of the hook that each process loads. An import of `node:fs` makes a namespace of all its
 * exports, which costs every `node -e` of an agent more than all the rest of the hook does.
 */
type Builtins = Pick<typeof process, "getBuiltinModule">;

/** Undefined on a Node that has no way to ask; such a Node has no `registerHooks` either. */
export const builtin: Builtins["getBuiltinModule"] = ((name: string) =>
  (process as Partial<Builtins>).getBuiltinModule?.(name)) as Builtins["getBuiltinModule"];
