import { anthropicError, openAiError, type FailureText } from "../failure-text.ts";

const inPlace = (place: string, message: string): string => anthropicError(`${place}.image.source.base64${message}`);

/** Refusals for the pictures and files in a history as people have reported them. */
export const REPORTED_MEDIA: readonly FailureText[] = [
  [
    "ggml-org/llama.cpp#12947, llama.cpp",
    `500 ${JSON.stringify({ error: { code: 500, message: 'Failed to parse messages: Unsupported content part type: "image_url"; messages = [\n  {\n    "role": "user",\n    "content": [\n      {\n        "type": "text",\n        "text": "PLS  desc this pic?"\n      }\n    ]\n  }\n]', type: "server_error" } })}`,
    "history media",
  ],
  [
    "ggml-org/llama.cpp#13566, llama.cpp",
    `500 ${JSON.stringify({ code: 500, message: "image input is not supported by this server", type: "server_error" })}`,
    "history media",
  ],
  [
    "llamastash/llamastash#13, llama.cpp",
    "API Error (500): image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    "history media",
  ],
  [
    "studio-dots-ai/dots.ocr#26, vLLM",
    "Error code: 400 - {'object': 'error', 'message': 'Qwen/Qwen3-0.6B is not a multimodal model None', 'type': 'BadRequestError', 'param': None, 'code': 400}",
    "history media",
  ],
  [
    "bytedance/UI-TARS-desktop#180, vLLM",
    openAiError("At most 1 image(s) may be provided in one request."),
    "history too_many_images",
  ],
  ["vllm-project/vllm#19144, vLLM", "500 Qwen/Qwen3-8B is not a multimodal model", "history media"],
  [
    "vLLM's source",
    openAiError(
      "At most 0 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to increase this limit.",
    ),
    "history media",
  ],
  [
    "vLLM's source",
    openAiError("Unsupported chat content part type: 'document'. Supported types: audio_url, image_url, text.", "type"),
    "history block_form",
  ],
  [
    "Codex, of a server of vLLM's",
    "stream disconnected before completion: DeepSeek-V4-Flash-0731 is not a multimodal model",
    "history media",
  ],
  ["a gateway beside it", "400 No active provider for this model supports image content", "history media"],
  ["vLLM's source", openAiError("Missing 'type' field in multimodal part."), "history block_form"],
  [
    "mozilla-ai/llamafile#298, llama.cpp",
    "500 The server was not compiled for multimodal or the model projector can't be loaded.",
    "history media",
  ],
  [
    "abetlen/llama-cpp-python#1168",
    openAiError('can only concatenate str (not "list") to str', null, null, "internal_server_error", 500),
    "history media",
  ],
  [
    "can1357/oh-my-pi#1859, DashScope",
    "400 <400> InternalError.Algo.InvalidParameter: The provided messages input is invalid. The error info is [Unexpected item type in content.]",
    "history media",
  ],
  [
    "BigPizzaV3/CodexPlusPlus#1760, Z.ai",
    `400 ${JSON.stringify({ error: { code: "1210", message: "messages.content.type 参数非法，取值范围 ['text']" } })}`,
    "history media",
  ],
  [
    "Z.ai, in English",
    `400 ${JSON.stringify({ error: { code: "1210", message: "messages.content.type is invalid, allowed values: ['text']" } })}`,
    "history media",
  ],
  [
    "vybestack/llxprt-code#3693, Z.ai",
    `400 ${JSON.stringify({ type: "error", error: { type: "invalid_request_error", code: "1210", message: "[1210][图片输入格式/解析错误][20260916231629b20bd515ccea4697]" } })}`,
    "history image",
  ],
  [
    "thinking-machines-lab/tinker-feedback#83",
    JSON.stringify({
      detail: "Validation Error",
      errors: [
        {
          loc: "body -> messages -> 0 -> content -> list[TextContentPart] -> 0 -> type",
          msg: "Input should be 'text'",
          type: "literal_error",
        },
      ],
    }),
    "history block_form @0",
    { status: 422 },
  ],
  [
    "felinics/Memoh#744, DashScope",
    openAiError(
      "Invalid type for 'messages.[0].content': expected one of a string or array of objects, but got an object instead.",
      "'messages.[0].content'",
      "invalid_type",
    ),
    "history block_form @0",
  ],
  [
    "danny-avila/LibreChat#2494, Ollama",
    "400 json: cannot unmarshal array into Go struct field Message.messages.content of type string",
    "history media",
  ],
  [
    "ollama/ollama#18055, Ollama",
    anthropicError("Input should be a valid string (ref: a9065c14-5a11-4d60-a4ac-31554a0b8e35)"),
    "history media",
  ],
  ["TeamWiseFlow/xiaobei#219, Ollama", openAiError("invalid image input"), "history image"],
  [
    "browser-use/web-ui#274, Azure",
    openAiError(
      "Invalid content type. image_url is only supported by certain models.",
      "messages.[1].content.[1].type",
    ),
    "history media @1.1",
  ],
  [
    "microsoft/semantic-kernel#9779, Azure",
    openAiError("Invalid message content: only messages with 'type=text' are supported currently.", "content"),
    "history media",
  ],
  [
    "OpenHands/OpenHands#7700, OpenAI",
    "400 Invalid 'messages[234]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    "history block_form @234",
  ],
  ["xAI", "400 Image inputs are not supported by this model.", "history media"],
  [
    "NousResearch/hermes-agent#81326, Moonshot",
    "HTTP 400: Invalid request: prepare image failed error, status code: 400, message: failed to decode image: invalid or unsupported image format",
    "history image",
  ],
  [
    "anthropics/claude-code#15746, Anthropic",
    inPlace("messages.6.content.5", ".data: Image does not match the provided media type image/png"),
    "history image @6.5",
  ],
  [
    "anthropics/claude-code#8184, Anthropic",
    inPlace(
      "messages.36.content.2",
      ".media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    "history image @36.2",
  ],
  [
    "anthropics/claude-code#3073, Anthropic",
    inPlace(
      "messages.208.content.0.tool_result.content.0",
      ".media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    "history image @208.0",
  ],
  [
    "vybestack/llxprt-code#2130, Anthropic",
    inPlace(
      "messages.83.content.0.tool_result.content.1",
      ": The image was specified using the image/jpeg media type, but the image appears to be a image/png image",
    ),
    "history image @83.0",
  ],
  [
    "anthropics/claude-code#6231, Anthropic",
    anthropicError("messages.38.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided."),
    "history too_many_images @38.0",
  ],
  [
    "anthropics/claude-code#19013, Anthropic",
    anthropicError("messages.4.content.1.pdf.source.base64.data: The PDF specified is password protected."),
    "history image @4.1",
  ],
  [
    "strands-agents/harness-sdk#3610, Bedrock",
    "An error occurred (ValidationException) when calling the ConverseStream operation: messages.0.content.0.document.source.type: Field required",
    "history image @0.0",
  ],
  [
    "harness/recorded, Bedrock",
    "ValidationException: This model doesn't support the video content block that you provided. Update the content block and try again.",
    "history image",
  ],
  [
    "harness/recorded, Bedrock",
    "ValidationException: This model doesn't support the s3Uri field. Remove s3Uri and try again.",
    "history image",
  ],
  [
    "harness/recorded, OpenAI",
    openAiError("The file type you uploaded is not supported. Please try again with a pdf"),
    "history image",
  ],
  [
    "harness/recorded, OpenAI",
    openAiError(
      "Invalid file data: 'input[3].output[0].file_data'. Expected a base64-encoded data URL with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type 'audio/mpeg'.",
    ),
    "history image @3.0",
  ],
  [
    "harness/recorded, OpenAI",
    openAiError("Error while downloading https://example.com/test-image.jpg."),
    "history image",
  ],
  [
    "vercel/ai#8857, OpenAI",
    openAiError("Timeout while downloading https://example.com/test-image.jpg", "url", "invalid_value"),
    "history image",
  ],
  [
    "agentscope-ai/agentscope-java#2700, DashScope",
    "400 <400> InternalError.Algo.InvalidParameter: Failed to download multimodal content",
    "history image",
  ],
  [
    "harness/recorded, Vertex",
    "400 Cannot fetch content from the provided URL. Please ensure the URL is valid and accessible by Vertex AI. Vertex AI respects robots.txt rules, so confirm the URL is allowed to be crawled. Status: URL_ROBOTED-ROBOTED_DENIED",
    "history image",
  ],
];
