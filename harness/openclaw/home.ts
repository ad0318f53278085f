import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file that is there for the `read` tool. */
export const WORKSPACE_NOTE = { path: "note.txt", text: "The note says: blue heron." };

/**
 * A folder of its own for an OpenClaw, with an empty state folder and a workspace with {@link WORKSPACE_NOTE} in it.
 */
export async function makeHome(prefix: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), prefix));
  for (const path of ["state/agents/main/agent", "state/agents/main/sessions", "tmp", "workspace"])
    await mkdir(join(home, path), { recursive: true });
  await writeFile(join(home, "workspace", WORKSPACE_NOTE.path), `${WORKSPACE_NOTE.text}\n`);
  return home;
}
