import { geminiError, openAiError, type FailureText } from "../failure-text.ts";

/** Keys, money, regions and models, as people have reported them. */
export const REPORTED_ACCESS: readonly FailureText[] = [
  [
    "open-assistant-org/open-assistant#80, OpenRouter",
    "Error code: 402 - {'error': {'message': 'Insufficient credits. Add more using https://openrouter.ai/settings/credits', 'code': 402}}",
    "access",
  ],
  [
    "bobrware/bobrchat#143, OpenRouter",
    "402 This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 61586. To increase, visit https://openrouter.ai/settings/credits and add more credits",
    "access",
  ],
  [
    "osaurus-ai/osaurus#2431, Venice",
    `402 ${JSON.stringify({ error: "Insufficient USD or Diem balance to complete request. Visit https://venice.ai/settings/api to add credits." })}`,
    "access",
  ],
  [
    "Gitlawb/openclaude#1528, a gateway",
    `402 ${JSON.stringify({ error: { message: "Insufficient credits — top up your balance at https://gitlawb.com/opengateway/credits", type: "insufficient_quota", code: "insufficient_credits" } })}`,
    "access",
  ],
  [
    "simonw/llm#494, OpenAI",
    "Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check your plan and billing details.', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}}",
    "access",
  ],
  [
    "crmne/ruby_llm#431, OpenRouter",
    `403 ${JSON.stringify({ error: { message: "Provider returned error", code: 403, metadata: { raw: JSON.stringify({ error: { code: "unsupported_country_region_territory", message: "Country, region, or territory not supported", param: null, type: "request_forbidden" } }), provider_name: "OpenAI" } } })}`,
    "access",
  ],
  [
    "langgenius/dify#39778, Moonshot",
    `404 ${JSON.stringify({ error: { message: "Not found the model kimi‑k2‑0711‑preview or Permission denied", type: "resource_not_found_error" } })}`,
    "access",
  ],
  [
    "RooCodeInc/Roo-Code#1885, GitHub Copilot",
    openAiError("Model is not supported for this request.", "model", "model_not_supported"),
    "access",
  ],
  [
    "farion1231/cc-switch#1681, GitHub Copilot",
    `400 ${JSON.stringify({ error: { message: 'model "gpt-5.3-codex" is not accessible via the /chat/completions endpoint', code: "unsupported_api_for_model" } })}`,
    "access",
  ],
  [
    "danny-avila/LibreChat#9427, Azure",
    "400 The chatCompletion operation does not work with the specified model, gpt-image-1. Please choose different model and try again.",
    "access",
    { code: "OperationNotSupported" },
  ],
  [
    "Wei-Shaw/sub2api#4301, xAI",
    `400 ${JSON.stringify({ code: "invalid-argument", error: "The model grok-imagine-image-quality is an image model and is therefore not available on this endpoint. Please use a compatible endpoint such as https://api.x.ai/v1/images/generations." })}`,
    "access",
  ],
  [
    "docker/docker-agent#2469, Vertex",
    geminiError(
      "The deployed model does not support ChatCompletions. endpoint_id: 1, deployed_model_id: 2",
      "FAILED_PRECONDITION",
    ),
    "access",
  ],
  [
    "NousResearch/hermes-agent#32678, Vertex",
    geminiError(
      "Publisher Model projects/p/locations/global/publishers/anthropic/models/claude-sonnet-5 is not servable in region global.",
      "FAILED_PRECONDITION",
    ),
    "access",
  ],
  [
    "pydantic/pydantic-ai#5002, Vertex",
    geminiError(
      "Publisher Model `projects/pydantic-platform/locations/global/publishers/google/models/claude-sonnet-4-6` was not found or your project does not have access to it. Please ensure you are using a valid model version.",
      "NOT_FOUND",
      404,
    ),
    "access",
  ],
  [
    "google-gemini/gemini-cli#25607, Gemini",
    geminiError("The caller does not have permission", "PERMISSION_DENIED", 403),
    "access",
  ],
  ["harness/recorded, OpenAI", "400 The requested model 'gpt-5.2-proo' does not exist.", "access"],
  [
    "harness/recorded, xAI",
    `400 ${JSON.stringify({ code: "invalid-argument", error: "Incorrect API key provided. You can obtain an API key from https://console.x.ai." })}`,
    "access",
  ],
  [
    "kuangquanshuisn/blink2api#1, Vercel",
    `402 ${JSON.stringify({ error: { message: "Insufficient funds. Please add credits to your account to continue using AI services.", type: "insufficient_funds" } })}`,
    "access",
  ],
  [
    "vercel/ai#9290, Z.ai",
    `429 ${JSON.stringify({ error: { message: "Insufficient balance or no resource package. Please recharge.", type: "AI_APICallError" } })}`,
    "access",
  ],
  [
    "continuedev/continue#10373, xAI",
    '429 "Your team 16f2151a-40f4-4a80-8ad0-cae00c27e8dd has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."',
    "access",
  ],
  [
    "RooCodeInc/Roo-Code#515, OpenRouter",
    "403 Key limit exceeded. Manage it using https://openrouter.ai/keys",
    "access",
  ],
  [
    "farion1231/cc-switch#995, OpenRouter",
    `404 ${JSON.stringify({ error: { message: "No allowed providers are available for the selected model.", code: 404, metadata: { available_providers: ["z-ai"], requested_providers: ["anthropic"] } } })}`,
    "access",
  ],
  [
    "OpenBMB/AgentVerse#140, Azure",
    `404 ${JSON.stringify({ error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again." } })}`,
    "access",
  ],
  [
    "langchain-ai/langchain#19215, Bedrock",
    "An error occurred (ValidationException) when calling the InvokeModel operation: Operation not allowed",
    "access",
  ],
  [
    "aws-samples/amazon-bedrock-audio-summarizer#3, Bedrock",
    "ValidationException: Your account is not authorized to invoke this API operation.",
    "access",
  ],
];

/** What may work later. */
export const REPORTED_OVERLOAD: readonly FailureText[] = [
  [
    "kaitranntt/ccs#402, Z.ai",
    `429 ${JSON.stringify({ error: { code: "1302", message: "High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits" } })}`,
    "overload",
  ],
  [
    "continuedev/continue#6185, Mistral",
    `429 ${JSON.stringify({ object: "error", message: "Service tier capacity exceeded for this model.", type: "invalid_request_error", param: null, code: null })}`,
    "overload",
  ],
  [
    "google-gemini/gemini-cli#26633, Gemini",
    geminiError("No capacity available for model on the server", "RESOURCE_EXHAUSTED", 429),
    "overload",
  ],
  [
    "harry0703/MoneyPrinterTurbo#339, Moonshot",
    `429 ${JSON.stringify({ error: { message: "Your account request reached max request: 3, please try again after 1 seconds", type: "rate_limit_reached_error" } })}`,
    "overload",
  ],
  [
    "Gitlawb/openclaude#936, OpenRouter",
    `429 ${JSON.stringify({ error: { message: "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", code: 429 } })}`,
    "overload",
  ],
];
