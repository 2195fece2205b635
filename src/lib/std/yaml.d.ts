/** Types of what is used of @std/yaml. */
export function parse(
  text: string,
  options?: { readonly schema?: "failsafe" | "json" | "core" | "default" | "extended" },
): unknown;
export function stringify(value: unknown): string;
