import { MemorySession, MemoryStore, type MessageFormat } from "../../src/integrity/index.ts";
import type { SessionKind } from "./kind.ts";

/** Sessions in memory; a store stands for the disk. */
export function memoryKind(format: MessageFormat): SessionKind {
  const stores = new Map<string, MemoryStore>();
  let serial = 0;
  const getStore = (id: string): MemoryStore => stores.get(id)!;
  return {
    name: `memory, ${format}`,
    format,
    open: async (messages) => {
      const id = `session-${++serial}`;
      stores.set(id, new MemoryStore());
      return new MemorySession({ id, format, messages, store: getStore(id) });
    },
    reopen: async ({ id }) => new MemorySession({ id, format, store: getStore(id) }),
    everything: async ({ id }) => getStore(id).everything(id),
    archived: async (archive) =>
      [...stores.values()].map((store) => store.archived(archive)).find((messages) => messages !== undefined)!,
    tamper: async ({ id }, index) => {
      const { entries, leafEntryId } = structuredClone(getStore(id).load(id));
      const [key, entry] = [...entries][index]!;
      entries.set(key, {
        ...entry,
        message: { role: "assistant", content: [{ type: "text", text: "Something else" }] },
      });
      getStore(id).save(id, { entries, leafEntryId });
    },
    image: ({ id }) => {
      const copy = structuredClone(getStore(id).load(id));
      return async () => {
        const store = new MemoryStore();
        store.save(id, copy);
        stores.set(id, store);
        return new MemorySession({ id, format, store });
      };
    },
  };
}
