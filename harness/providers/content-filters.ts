import type { Api, BlockForm } from "../../src/providers/index.ts";

/** One way in which an API says that a filter or the model itself refused. */
export interface ContentFilterForm {
  name: string;
  /** The fault that plays it: `script({ kind: "fault", ...form })`, or `block(text, form)`. */
  form: BlockForm;
  /** What of the answer has reached the client. */
  leaves: "nothing" | "text" | "half-call" | "whole-call";
}

/** Every form that `api` has, errors first, then reasons why an answer ended. */
export function contentFilterForms(api: Api): ContentFilterForm[] {
  // Gemini's calls arrive whole or not at all.
  const half = api === "google-generative-ai" ? "nothing" : "half-call";
  return [
    { name: "HTTP 400", form: { fault: "content-filter-400" }, leaves: "nothing" },
    { name: "error before any content", form: { fault: "content-filter-at-start" }, leaves: "nothing" },
    { name: "error in the middle of a text", form: { fault: "content-filter-in-text" }, leaves: "text" },
    { name: "error in the middle of a call", form: { fault: "content-filter-in-tool" }, leaves: half },
    { name: "error after a whole call", form: { fault: "content-filter-after-tool" }, leaves: "whole-call" },
    { name: "ended with text", form: { fault: "refusal-with-text" }, leaves: "text" },
    { name: "ended with half a call", form: { fault: "refusal-with-half-tool" }, leaves: half },
    { name: "ended with a whole call", form: { fault: "refusal-with-tool" }, leaves: "whole-call" },
    { name: "ended with nothing", form: { fault: "refusal-empty" }, leaves: "nothing" },
    ...(OWN[api] ?? []),
  ];
}

const OPENAI: ContentFilterForm[] = [
  { name: "HTTP 400 invalid_prompt", form: { fault: "invalid-prompt-400" }, leaves: "nothing" },
  { name: "refusal in its own field", form: { fault: "refusal-part" }, leaves: "text" },
];

const OWN: Partial<Record<Api, ContentFilterForm[]>> = {
  "openai-completions": OPENAI,
  "openai-responses": [
    ...OPENAI,
    { name: "response.failed before any content", form: { fault: "response-failed-at-start" }, leaves: "nothing" },
    { name: "response.failed in the middle of a text", form: { fault: "response-failed" }, leaves: "text" },
  ],
  "google-generative-ai": [
    ...(["finish-prohibited-content", "finish-recitation", "finish-blocklist"] as const).flatMap(
      (fault): ContentFilterForm[] => [
        { name: `${fault} with text`, form: { fault }, leaves: "text" },
        { name: `${fault} without text`, form: { fault, text: "" }, leaves: "nothing" },
      ],
    ),
    { name: "promptFeedback PROHIBITED_CONTENT", form: { fault: "prompt-blocked" }, leaves: "nothing" },
    { name: "promptFeedback SAFETY", form: { fault: "prompt-blocked-safety" }, leaves: "nothing" },
    { name: "promptFeedback BLOCKLIST", form: { fault: "prompt-blocked-blocklist" }, leaves: "nothing" },
  ],
  "bedrock-converse-stream": [{ name: "guardrail_intervened", form: { fault: "finish-guardrail" }, leaves: "text" }],
};
