/**
 * The three outages of 5 February 2026 (release 2026.2.3), at messages 302, 32 and 190 of the request.
 *
 * In each a turn was cut off inside a tool call. The adapter left the failed turn out and sent its invented result,
 * which so became the second block of a user message whose first block answers the call before. The rounds before it
 * are counted so that this block has just the index that the provider named.
 */
import {
  aborted,
  assistant,
  failed,
  lines,
  partialCall,
  synthetic,
  text,
  tool,
  toolu,
  unexpectedResult,
  user,
  type CaseSpec,
  type Row,
} from "../builder.ts";
import { pleas, rounds } from "../chats.ts";

const id = (name: string): string => toolu(`q/${name}`);
const ESSAY = lines(
  40,
  (n) => `Section ${n}. The history of the lighthouse keepers, told by those who kept the light.`,
);

/** The last tool call that went well, and the one that did not. */
const cut = (at: number, ask: string, turn: (callId: string) => Row): Row[] => [
  user(`${ask} {{MARK-q${at} the request before the outage}}`),
  ...tool(id(`${at}/good`), "read", { path: `draft-${at}.md` }, `{{MARK-q${at} last good tool output}}`),
  turn(id(`${at}/cut`)),
  synthetic(id(`${at}/cut`), "write"),
];

export const incidents: CaseSpec[] = [
  {
    id: "q-incident-message-302",
    title: "The outage of more than seven hours: a content filter cut a long write at message 302",
    report: "openclaw#5481",
    reported: "2026-02-05",
    error: unexpectedResult("302.content.1", id("302/cut")),
    rows: [
      ...rounds("q302", 75),
      ...cut(302, "Finish the essay and save it.", (callId) =>
        failed(
          [
            text("Writing the whole essay now."),
            partialCall(
              callId,
              "write",
              { path: "essay.md", content: ESSAY },
              `{"path":"essay.md","content":"${ESSAY.replaceAll("\n", "\\n")}`,
            ),
          ],
          "Output blocked by content filtering policy",
        ),
      ),
      ...pleas("q302", unexpectedResult("302.content.1", id("302/cut"))),
    ],
  },
  {
    id: "q-incident-message-32",
    title: "The second outage, early in a fresh session: the stream was terminated at message 32",
    report: "openclaw#4277",
    reported: "2026-02-05",
    error: unexpectedResult("32.content.1", id("32/cut")),
    rows: [
      user("Good morning, what happened to my session? {{MARK-q32 fresh start}}"),
      ...tool(id("32/a"), "exec", { command: "ls sessions" }, "{{MARK-q32 session file 11 MB}}"),
      ...tool(id("32/b"), "exec", { command: "tail -1 gateway.log" }, "{{MARK-q32 log shows 400}}"),
      assistant(["The transcript was broken. {{MARK-q32 explained}}"]),
      ...rounds("q32", 6, 2),
      ...cut(32, "Write up the incident.", (callId) =>
        failed(
          [partialCall(callId, "write", { path: "incident.md" }, '{"path":"incident.md","content":"On 5 Feb')],
          "terminated",
        ),
      ),
      ...pleas("q32", unexpectedResult("32.content.1", id("32/cut"))),
    ],
  },
  {
    id: "q-incident-message-190",
    title: "The third outage: the user aborted inside a call at message 190",
    report: "openclaw#4475",
    reported: "2026-02-05",
    error: unexpectedResult("190.content.1", id("190/cut")),
    rows: [
      ...rounds("q190", 47, 9),
      ...cut(190, "Rewrite the whole plan.", (callId) =>
        aborted([text("Rewriting"), partialCall(callId, "write", { path: "plan.md" }, '{"path":"plan.md","conte')]),
      ),
      ...pleas("q190", unexpectedResult("190.content.1", id("190/cut"))),
    ],
  },
];
