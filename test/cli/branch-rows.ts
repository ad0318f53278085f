/**
 * A rollback that is killed the moment it is stored, in a process of its own: `branch-rows.ts <package> <session key>
 * <session id> <entry id>
 * <checkpoint id>`, with OPENCLAW_STATE_DIR set. OpenClaw has no time left to index the branch.
 */
import { loadOpenClawSessions } from "../../src/store/openclaw/openclaw-sessions.ts";

const [root = "", sessionKey = "", sessionId = "", entryId = "", checkpointId = ""] = process.argv.slice(2);
const openclaw = await loadOpenClawSessions(root, process.env["OPENCLAW_STATE_DIR"] ?? "");
const storePath = openclaw.resolveStorePath(undefined, { agentId: "main" });
const session = openclaw.open({ agentId: "main", sessionKey, sessionId, storePath });
const rewrite = session.prepareTranscriptRewrite?.();
const writer = rewrite?.sessionManager ?? session;
writer.branch(entryId);
writer.appendCustomMessageEntry("openclaw-integrity", "taken back", true, { checkpointId });
rewrite?.commit(new Map());
process.kill(process.pid, "SIGKILL");
