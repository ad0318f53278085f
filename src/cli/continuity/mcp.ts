import { nameInline } from "../../base/quoted.ts";
import { complain } from "../../base/terminal.ts";
import { authorBy, ContinuityError, type S3Storage } from "../../continuity/index.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { isGone, isOpenClawsName, LeaseKeeper } from "../../continuity-tools/index.ts";
import { serveStdio } from "../../mcp/index.ts";
import { whatWasRecordedBefore } from "./former.ts";
import { isSamePlace, openContinuity, type Place, placeOf, type StoreOptions } from "./store.ts";
import { runAsync } from "../run.ts";

interface McpOptions extends StoreOptions {
  /** Seconds. */
  readonly lease: number;
}

/** `openclaw-integrity continuity mcp`: serves until its client goes. Standard output is the protocol's. */
export async function mcpCommand(options: McpOptions): Promise<void> {
  await runAsync({ quiet: true }, async () => {
    const at = reached(options);
    const { continuity, objects } = await openContinuity(at, { mustExist: false, author: authorBy("mcp") });
    try {
      if (objects) await checkObjects(objects);
      for (const line of await whatWasRecordedBefore(options, continuity))
        complain(`openclaw-integrity: continuity mcp: ${line}`);
      await serveStdio({
        continuity,
        leases: new LeaseKeeper({ ttlMs: options.lease * 1000, isGone }),
        project_id: options.project,
      });
    } finally {
      await continuity.close();
    }
    return { data: {}, lines: [] };
  });
}

/**
 * An agent hears of an object storage only when something large is stored: who has configured it is told at the start.
 * Throws unless it may work later.
 */
async function checkObjects(objects: S3Storage): Promise<void> {
  try {
    await objects.check();
  } catch (error) {
    if (!(error instanceof ContinuityError) || error.code !== "unavailable") throw error;
    complain(
      `openclaw-integrity: warning: ${error.message} Until then snapshots are put off, and large results are refused.`,
    );
  }
}

/**
 * The store that is served: that of the MCP server, unless another one is named. OpenClaw's own is served for one
 * project only. Throws `bad-input` where none is named, and where one is named that is OpenClaw's and the store is not.
 */
function reached(options: McpOptions): Place {
  const { store = "mcp", file, schema, project } = options;
  const at = placeOf({ ...options, store });
  if (
    project === undefined &&
    isSamePlace(at, placeOf({ ...options, store: "openclaw", file: undefined, schema: undefined }))
  ) {
    throw continuityError("bad-input", {
      expected: "--project for OpenClaw's own store, whose conversations are not to be read and written by each client",
      found: "none",
      todo:
        "Name the one project that this server serves, or leave --store, --file and --schema out: then the server " +
        "keeps a store of its own. Nothing was opened.",
    });
  }
  const isOwn = store === "mcp" && file === undefined && schema === undefined;
  if (project !== undefined && isOwn && isOpenClawsName(project)) {
    throw continuityError("bad-input", {
      expected: "a project of the MCP server's own store",
      found: `${nameInline(project)}, a name as conversations of OpenClaw have it`,
      todo:
        "To serve the work of that conversation, add --store openclaw; else name the project otherwise. Nothing was " +
        "opened.",
    });
  }
  return at;
}
