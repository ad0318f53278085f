/**
 * A branch in a stored session, and a kill the moment it is stored: `branch-worker.ts <package> <session key> <session
 * id> <entries to go back>`, with OPENCLAW_STATE_DIR set.
 */
import { loadOpenClawSessions } from "../../src/store/openclaw/openclaw-sessions.ts";
import { user } from "./samples.ts";

const [root = "", sessionKey = "", sessionId = "", back = "1"] = process.argv.slice(2);
const openclaw = await loadOpenClawSessions(root, process.env["OPENCLAW_STATE_DIR"] ?? "");
const session = openclaw.open({
  agentId: "main",
  sessionKey,
  sessionId,
  storePath: openclaw.resolveStorePath(undefined, { agentId: "main" }),
});
session.branch(session.getBranch().at(-1 - Number(back))!.id);
session.appendCustomMessageEntry("note", "let us go back to this", true);
session.appendMessage(user("and what if"), { idempotencyLookup: "caller-checked" });
process.kill(process.pid, "SIGKILL");
