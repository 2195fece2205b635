/** Servers that the protocols know quirks of; a test holds them against their table. */
export const VENDOR_NAMES = [
  "openai",
  "openrouter",
  "deepseek",
  "groq",
  "mistral",
  "together",
  "gemini",
  "xai",
  "ollama",
  "lmstudio",
  "llamacpp",
  "vllm",
  "sglang",
] as const;
