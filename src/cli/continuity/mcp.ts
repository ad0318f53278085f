import { resolve } from "node:path";
import { setStoreForPrintedCommands } from "../../base/commands/own-command.ts";
import { nameInline } from "../../base/quoted.ts";
import { complain } from "../../base/terminal.ts";
import { authorBy, ContinuityError, Metrics, type S3Storage } from "../../continuity/index.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { isGone, isOpenClawsName, LeaseKeeper, processOwner } from "../../continuity-tools/index.ts";
import { type StoreSelection, storeWords } from "../../continuity-tools/store-words.ts";
import { metricsText, serveStdio } from "../../mcp/index.ts";
import { isSamePlace, openContinuity, type Place, selectPlace, type StoreOptions } from "./base/store.ts";
import { runAsync } from "../run.ts";

interface McpOptions extends StoreOptions {
  /** Seconds after which others take over the steps of a server that was killed. */
  readonly lease: number;
  /** Seconds that an agent holds a task, and its unended steps, without making a call. */
  readonly claim: number;
}

/**
 * `openclaw-integrity continuity mcp`: serves until the client disconnects. Standard output carries the protocol only.
 */
export async function mcpCommand(options: McpOptions): Promise<void> {
  await runAsync({ quiet: true }, async () => {
    const at = servedPlace(options);
    const metrics = new Metrics();
    const author = authorBy("mcp");
    setStoreForPrintedCommands(storeWords(toSelection(at, options)));
    const { continuity, objects } = await openContinuity(at, {
      mustExist: false,
      author,
      metrics: metrics.sink,
      claims: { session: processOwner(), unusedMs: options.claim * 1000, isGone },
    });
    const printMetrics = (): void => complain(`openclaw-integrity: continuity mcp: metrics ${metricsText(metrics)}`);
    if (process.platform !== "win32") process.on("SIGUSR2", printMetrics);
    try {
      if (objects) await checkObjects(objects);
      await serveStdio({
        continuity,
        leases: new LeaseKeeper({ ttlMs: options.lease * 1000, unusedMs: options.claim * 1000, isGone }),
        project_id: options.project,
        metrics,
      });
    } finally {
      process.off("SIGUSR2", printMetrics);
      await continuity.close();
    }
    return { data: {}, lines: [] };
  });
}

/** Returns what selects the served store in another shell. */
function toSelection(
  at: Place,
  { project, store = "mcp", file, postgres, schema, anchor }: McpOptions,
): StoreSelection {
  // A command takes a store's name or a schema, not both.
  const named = schema === undefined ? { store } : { schema };
  if (!("file" in at)) return { ...named, postgres, anchor: anchor && resolve(anchor), project };
  // A store that --file names is told by its path, any other by its name.
  return file === undefined ? { store, project } : { file: resolve(file), project };
}

/**
 * Checks the object storage at the start, so that the person who configured it sees problems: an agent meets them only
 * when it stores something large. Throws unless the storage may work later.
 */
async function checkObjects(objects: S3Storage): Promise<void> {
  try {
    await objects.check();
  } catch (error) {
    if (!(error instanceof ContinuityError) || error.code !== "unavailable") throw error;
    complain(
      `openclaw-integrity: warning: ${error.message} Until then no snapshots are made, and large results are refused.`,
    );
  }
}

/**
 * Returns the store to serve: by default the MCP server's own. OpenClaw's own store is served for one project only.
 * Throws `bad-input` for OpenClaw's store without a project, and for a project of OpenClaw's in another store.
 */
function servedPlace(options: McpOptions): Place {
  const { store = "mcp", file, schema, project } = options;
  const at = selectPlace({ ...options, store });
  if (
    project === undefined &&
    isSamePlace(at, selectPlace({ ...options, store: "openclaw", file: undefined, schema: undefined }))
  ) {
    throw continuityError("bad-input", {
      expected: "--project for OpenClaw's own store, whose conversations must not be open to every client",
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
      found: `${nameInline(project)}, the name of an OpenClaw conversation`,
      todo:
        "To serve the work of that conversation, add --store openclaw; otherwise choose another project name. " +
        "Nothing was opened.",
    });
  }
  return at;
}
