/**
 * An agent of a few lines, for orientation: what a tool call costs on this
 * machine where nothing is kept, guarded or shown. Arguments: the server's
 * address, and what is asked.
 */
const [url, prompt] = Deno.args;
const tool = (name: string, argument: string) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { [argument]: { type: "string" } } } },
});
const tools = [tool("read", "path"), tool("bash", "command")];
const messages: unknown[] = [{ role: "user", content: prompt }];
for (;;) {
  const body = JSON.stringify({ model: "mock-model", messages, tools, stream: true });
  const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
  let text = "";
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  for (const line of (await answer.text()).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
    text += delta?.content ?? "";
    calls.push(...delta?.tool_calls ?? []);
  }
  if (calls.length === 0) {
    console.log(text);
    break;
  }
  messages.push({ role: "assistant", content: text, tool_calls: calls });
  for (const { id, function: { name, arguments: given } } of calls) {
    const args = JSON.parse(given);
    const content = name === "read" ? Deno.readTextFileSync(args.path) : new TextDecoder().decode(
      (await new Deno.Command("bash", { args: ["-c", args.command] }).output()).stdout,
    );
    messages.push({ role: "tool", tool_call_id: id, content });
  }
}
