/**
 * An agent without packages over Chat Completions, that does something wrong: `small-agent.mjs <manner>`. It stores its
 * messages after each step and answers open calls by itself, so that no request is refused.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

const post = (url, body) => fetch(url, { method: "POST", body });

/** Plays a turn; returns the model's answer. */
export async function answerTurn(input, manner) {
  const provider = new URL(input.provider_url);

  /** Sends bytes that are no request, and waits until the provider closes. */
  const sendBytes = (bytes) =>
    new Promise((resolve) => {
      const socket = connect(Number(provider.port), provider.hostname, () => socket.end(bytes));
      socket.on("error", resolve).on("close", resolve).resume();
    });
  const act = async ({ name, arguments: given }) =>
    (await post(input.tools_url, JSON.stringify({ name, arguments: JSON.parse(given) }))).text();

  if (manner === "exits") process.exit(0);
  if (manner === "hangs") setInterval(() => {}, 1000);
  if (manner === "garbage") {
    await sendBytes("\0\xff\xfe garbage\r\n\r\n");
    await sendBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage");
    await sendBytes("POST /v1/messages HTTP/1.1\r\ncontent-length: 9999\r\n\r\n{");
    for (const body of ["", "{", "[]", "null", `"${"x".repeat(20_000_000)}"`])
      await post(new URL("/v1/chat/completions", provider), body).catch(() => undefined);
    for (const body of ["", "[]", `{"name":"pay"}`, "x".repeat(2_000_000)])
      await post(input.tools_url, body).catch(() => undefined);
  }

  const file = join(input.state, "messages.json");
  const messages = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : (input.history ?? []);
  const save = () => writeFileSync(file, JSON.stringify(messages));

  /** What the agent says of calls whose results it has not. */
  const SAID = { cancels: "The call was cancelled.", claims: "Done.", shrugs: "The outcome is unknown." };
  const results = new Set(messages.map((message) => message.tool_call_id));
  for (const [at, { tool_calls: calls = [] }] of [...messages.entries()].toReversed())
    for (const { id, function: called } of calls.filter((call) => !results.has(call.id)))
      messages.splice(at + 1, 0, {
        role: "tool",
        tool_call_id: id,
        content: manner === "repeats" ? await act(called) : (SAID[manner] ?? SAID.shrugs),
      });
  messages.push({ role: "user", content: input.question });
  save();

  for (let nth = 0; ; nth++) {
    const sent = manner === "forgets" ? messages.slice(-1) : manner === "trims" ? messages.slice(2) : messages;
    const body = JSON.stringify({ model: "gpt-5", messages: sent });
    const response = await post(new URL("/v1/chat/completions", provider), body);
    if (manner === "circles") continue;
    const { choices } = await response.json();
    const answer = choices[0].message;
    messages.push(answer);
    save();
    if (!answer.tool_calls) {
      if (manner === "chats") console.log("x".repeat(99).concat("\n").repeat(500_000));
      if (manner === "forks")
        spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }).unref();
      return manner === "mumbles" ? "Yes." : answer.content;
    }
    for (const { id, function: called } of answer.tool_calls) {
      messages.push({ role: "tool", tool_call_id: id, content: await act(called) });
      save();
    }
  }
}

if (process.env.TEST_AGENT_CASE) {
  const input = JSON.parse(readFileSync(process.env.TEST_AGENT_CASE, "utf8"));
  console.log(await answerTurn(input, process.argv[2]));
}
