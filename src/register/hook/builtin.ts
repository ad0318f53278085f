/**
 * Builtin modules for the part of the hook that each process loads. An import of `node:fs` makes a namespace of all its
 * exports, which costs every `node -e` of an agent more than all the rest of the hook does.
 */
type Builtins = Pick<typeof process, "getBuiltinModule">;

/**
 * Returns a builtin module; undefined, which its type does not say, on a Node that has no way to ask. Such a Node has
 * no `registerHooks` either, so that the hook does not run there.
 */
export const builtin: Builtins["getBuiltinModule"] = ((name: string) =>
  (process as Partial<Builtins>).getBuiltinModule?.(name)) as Builtins["getBuiltinModule"];
