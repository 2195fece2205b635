/** From a base URL, with or without a version at its end, to the address of one method. */

/**
 * `${baseUrl}/v1/${method}`. The base may end with a version ("/v1",
 * "/v1beta/openai"), or lack it, or be the whole address already. Below a
 * deployment ("/openai/deployments/NAME") there is no version.
 */
export function methodUrl(baseUrl: string, method: string): string {
  const [, address, query] = /^([^?#]*)(\?[^#]*)?/.exec(baseUrl.trim()) ?? [];
  const base = (address ?? "").replace(/\/+$/, "");
  if (base.endsWith(`/${method}`)) return base + (query ?? "");
  const path = base.replace(/^[a-z]+:\/\/[^/]*/i, "");
  const versioned = path.split("/").some((segment) => /^v\d+\w*$/.test(segment)) ||
    /\/deployments\/[^/]+$/.test(path);
  return `${base}${versioned ? "" : "/v1"}/${method}${query ?? ""}`;
}

/** The host of a base URL, in lower case; "" where there is none. */
export function hostOf(baseUrl: string): string {
  return /^[a-z]+:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? "";
}
