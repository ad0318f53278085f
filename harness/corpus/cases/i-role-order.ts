/** Class I: roles in an order, or of a kind, that a provider does not accept. */
import {
  assistant,
  failed,
  message,
  PREFILL,
  result,
  text,
  tool,
  toolu,
  user,
  call,
  type CaseSpec,
  type Row,
} from "../builder.ts";
import { calendar, deploy, files, rounds, search, shell, weather, whatsapp } from "../chats.ts";

const id = (name: string): string => toolu(`i/${name}`);
const FIRST_IS_ASSISTANT = 'messages: first message must use the "user" role';
/** For shapes that the measured releases leave out by themselves, and that must stay harmless. */
const NONE_SEEN = "none seen: the measured releases leave such rows out";
const ALTERNATE =
  'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row';

/** The same three replies behind whatever a case puts first. */
const replies = (tag: string): Row[] => [
  assistant([`Good morning! {{MARK-${tag} greeting of the day}}`]),
  user(`What is planned? {{MARK-${tag} plan question}}`),
  ...tool(toolu(`i/${tag}`), "exec", { command: "khal list" }, `{{MARK-${tag} ten o'clock review}}`),
  assistant([`A review at ten. {{MARK-${tag} plan answer}}`]),
];

export const roleOrder: CaseSpec[] = [
  {
    id: "i-user-after-user",
    title: "Several user messages in a row",
    report: "openclaw#998",
    also: ["openclaw#999"],
    reported: "2026-01-16",
    error: "roles must alternate",
    rows: [
      user("First. {{MARK-i1 first}}"),
      user("Second. {{MARK-i1 second}}"),
      user([text("Third. {{MARK-i1 third}}"), text("Fourth. {{MARK-i1 fourth}}")]),
      assistant(["Yes. {{MARK-i1 yes}}"]),
      ...weather("i1"),
      user("Fifth. {{MARK-i1 fifth}}"),
      user("Sixth. {{MARK-i1 sixth}}"),
    ],
  },
  {
    id: "i-doubled-roles-after-model-switch",
    title: "Doubled user and assistant messages after a switch to a strict reasoning model",
    report: "openclaw#6655",
    reported: "2026-02-01",
    apis: ["openai-completions"],
    model: "deepseek-r1",
    error:
      "deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input)",
    rows: [
      user("Bonjour {{MARK-i2 bonjour}}"),
      user("Tu es là ? {{MARK-i2 tu es là}}"),
      assistant(["Oui. {{MARK-i2 oui}}"]),
      assistant(["J'écoute. {{MARK-i2 j'écoute}}"]),
      ...files("i2"),
      user("Merci. {{MARK-i2 merci}}"),
    ],
  },
  {
    id: "i-assistant-after-assistant",
    title: "Assistant messages in a row, some with calls, some without",
    report: "openclaw#6655",
    reported: "2026-02-01",
    error: ALTERNATE,
    rows: [
      user("Go. {{MARK-i3 go}}"),
      assistant(["On it. {{MARK-i3 on it}}"]),
      ...tool(id("3"), "exec", { command: "make" }, "{{MARK-i3 make succeeded}}"),
      assistant(["Made. {{MARK-i3 made}}"]),
      assistant(["Also cleaned. {{MARK-i3 cleaned}}"]),
      ...whatsapp("i3"),
    ],
  },
  {
    id: "i-user-right-after-result",
    title: "A user message right behind a tool result, replayed to Mistral",
    report: "openclaw#33177",
    also: ["openclaw#33186"],
    reported: "2026-03-03",
    apis: ["openai-completions"],
    model: "mistral-large",
    error: "Unexpected role 'user' after role 'tool'",
    rows: [
      ...shell("i4"),
      user("Check again. {{MARK-i4 check again}}"),
      ...tool(id("4"), "exec", { command: "df -h" }, "{{MARK-i4 now at 43 percent}}"),
      user("So? {{MARK-i4 so}}"),
      assistant(["Fine now. {{MARK-i4 fine}}"]),
    ],
  },
  {
    id: "i-placeholder-then-blank-user",
    title:
      "The placeholder of a failed turn, then a blank user message: without that one the history ends with the assistant",
    report: "openclaw#72865",
    also: ["openclaw#75395", "openclaw#77228", "openclaw#76829"],
    reported: "2026-04-27",
    error: PREFILL,
    rows: [
      ...calendar("i5"),
      user("Und weiter? {{MARK-i5 weiter}}"),
      assistant(["[assistant turn failed before producing content]"]),
      user([text("")]),
    ],
  },
  {
    id: "i-first-user-message-lost",
    title: "The first user message is lost: the history begins with the assistant",
    report: "measured",
    reported: "2026-11-21",
    error: FIRST_IS_ASSISTANT,
    rows: [...replies("i6"), ...deploy("i6")],
  },
  {
    id: "i-first-user-message-blank",
    title: "The first user message is blank",
    report: "measured",
    reported: "2026-11-21",
    error: FIRST_IS_ASSISTANT,
    rows: [user("  "), ...replies("i7"), ...search("i7")],
  },
  {
    id: "i-first-user-message-of-unknown-blocks",
    title: "The first user message holds nothing but blocks that no adapter knows",
    report: "measured",
    reported: "2026-11-21",
    error: FIRST_IS_ASSISTANT,
    rows: [user([{ type: "location", name: "{{MARK-i8 pier three}}" }]), ...replies("i8"), ...files("i8")],
  },
  {
    id: "i-first-message-is-a-call",
    title: "The history begins with an assistant's tool call, as after a cut by size",
    report: "measured",
    reported: "2026-11-21",
    error: FIRST_IS_ASSISTANT,
    rows: [
      assistant(["Continuing. {{MARK-i9 continuing}}", call(id("9"), "exec", { command: "tail" })]),
      result(id("9"), "exec", "{{MARK-i9 tail of the log}}"),
      assistant(["Done. {{MARK-i9 done}}"]),
      ...rounds("i9", 6, 2),
    ],
  },
  {
    id: "i-no-user-at-all",
    title: "A session of an automation: assistant messages and tool results only",
    report: "measured",
    reported: "2026-11-21",
    error: FIRST_IS_ASSISTANT,
    rows: [0, 1, 2].flatMap((n) => [
      ...tool(id(`10/${n}`), "exec", { command: `poll ${n}` }, `{{MARK-i10 poll ${n} returned nothing}}`),
      assistant([`Poll ${n}. {{MARK-i10 poll answer ${n} end}}`]),
    ]),
  },
  {
    id: "i-trailing-assistant-messages",
    title: "The history ends with several assistant messages, the last of them failed and empty",
    report: "openclaw#77228",
    reported: "2026-05-04",
    error: PREFILL,
    rows: [
      ...whatsapp("i11"),
      user("Remind me at five. {{MARK-i11 five o'clock}}"),
      assistant(["I will. {{MARK-i11 I will}}"]),
      assistant(["It is five. {{MARK-i11 it is five}}"]),
      failed([], PREFILL),
    ],
  },
  {
    id: "i-unknown-roles",
    title: "Rows of roles that nobody knows, and without a role, between healthy ones",
    report: "measured",
    reported: "2026-11-21",
    error: NONE_SEEN,
    rows: [
      ...shell("i12"),
      message({ role: "narrator", content: "Meanwhile, at the harbour" }),
      message({ content: [text("no role at all")] }),
      message({ role: 5, content: [] }),
      user("Continue. {{MARK-i12 continue}}"),
      assistant(["Continuing. {{MARK-i12 continuing}}"]),
    ],
  },
  {
    id: "i-system-rows",
    title: "System and developer rows in the history, one of them first",
    report: "measured",
    reported: "2026-11-21",
    error: NONE_SEEN,
    rows: [
      message({ role: "system", content: "Cron ran." }),
      ...calendar("i13"),
      message({ role: "developer", content: [text("Be brief.")] }),
      user("Weiter. {{MARK-i13 weiter}}"),
      assistant(["Ja. {{MARK-i13 ja}}"]),
    ],
  },
];
