import { stateDirectory } from "../../store/index.ts";
import { settleStored } from "../../timetravel/files/settle-stored.ts";
import { snapshotsSize, tidyToSize, WorkspaceStore } from "../../workspace/index.ts";
import { visible } from "../../doctor/printable.ts";
import { withCatalog } from "../sessions/catalog.ts";
import { type OutputOptions, runAsync } from "../run.ts";

interface FilesOptions extends OutputOptions {
  readonly tidy?: boolean;
}

/** `openclaw-integrity timeline files`: what is kept of workspaces; with `--tidy` it is settled and cleaned up. */
export async function filesTimeline(options: FilesOptions): Promise<void> {
  await runAsync(options, () =>
    withCatalog(async (catalog) => {
      const warnings: string[] = [];
      const stores = WorkspaceStore.all(stateDirectory()).filter(({ exists }) => exists);
      const data = [];
      const lines: string[] = [];
      for (const store of stores) {
        const settled = options.tidy === true ? await settleStored(catalog, store) : undefined;
        warnings.push(...(settled?.problems ?? []));
        const tidied = options.tidy === true ? await tidyToSize(store, { force: true }) : undefined;
        const { sessions, pending } = store.read((records) => ({
          sessions: records.sessions(),
          pending: records.pending().length,
        }));
        const steps = sessions.reduce((sum, { count }) => sum + count, 0);
        const bytes = snapshotsSize(store);
        data.push({
          workspace: store.workspace,
          folder: store.folder,
          sessions: sessions.length,
          steps,
          pending,
          bytes,
        });
        lines.push(
          visible(store.workspace),
          `  ${counted(steps, "change")} ` +
            `of ${counted(sessions.length, "session")}, ${(bytes / 1024 / 1024).toFixed(1)} MiB in ` +
            `${visible(store.folder)}`,
          ...(pending === 0 ? [] : [`  moves that were cut off and wait for their session: ${pending}`]),
          ...(settled?.settled ?? []).flatMap(({ isMade, left }) => [
            `  a move that was cut off was ${isMade ? "completed" : "taken back"}`,
            ...left.map((path) => `    left as it is, because somebody changed it since: ${visible(path)}`),
          ]),
          ...(tidied === undefined ? [] : [`  forgotten, because they are old or too many: ${tidied.steps}`]),
        );
      }
      return { data: { workspaces: data }, lines: lines.length === 0 ? ["no files are kept"] : lines, warnings };
    }),
  );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
