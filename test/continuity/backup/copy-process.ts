import { Continuity, openPostgresStore, openSqliteStore } from "../../../src/continuity/index.ts";

/** What a process of its own does (`node copy-process.ts <these as JSON>`). */
export interface CopyCommand {
  readonly do: "backup" | "restore" | "write" | "pay";
  readonly options: { readonly file: string } | { readonly connectionString: string; readonly schema: string };
  /** The backup. */
  readonly file?: string;
  /** Where it kills itself, at the last commit. */
  readonly dieAt?: string;
}

/** Backs up or restores, or writes without end and prints the position of each event that was acknowledged. */
async function main({ do: what, options, file = "", dieAt }: CopyCommand): Promise<void> {
  let isLast = false;
  const crashPoint = (name: string): void => {
    if (isLast && name === dieAt) process.kill(process.pid, "SIGKILL");
  };
  const store =
    "file" in options
      ? openSqliteStore({ ...options, crashPoint })
      : await openPostgresStore({ ...options, crashPoint });
  const continuity = new Continuity({ store });
  if (what === "backup") await continuity.backup({ file, replace: true });
  if (what === "restore") await continuity.restore({ file });
  if (what === "pay") {
    const project = await continuity.project("shop");
    const lease = await project.acquireLease({ owner_id: "till", takeOverFrom: "till" });
    await project.runStep(lease, { step_id: "pay", step_type: "pure" }, async () => void (isLast = true));
    // As a process that is killed as soon as it has said what it did.
    process.kill(process.pid, "SIGKILL");
  }
  if (what !== "write") return continuity.close();
  const project = await continuity.project("written");
  const lease = await project.acquireLease({ owner_id: String(process.pid), takeOverFrom: "gone" });
  for (let nth = 1; ; nth++) {
    await project.runStep(lease, { step_id: `step ${nth}`, step_type: "pure" }, async () => ({ nth }));
    process.stdout.write(`${(await project.state()).completed_steps}\n`);
  }
}

main(JSON.parse(process.argv[2]!) as CopyCommand).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
