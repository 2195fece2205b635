/** Final answers as data: finds the JSON in an answer and checks it against the wanted JSON Schema. */
import { AppError, describe } from "../lib/errors.ts";

export type Structured =
  | { readonly ok: true; readonly value: unknown }
  /** `problem` is written for the model. */
  | { readonly ok: false; readonly problem: string };

export type Checker = (text: string) => Structured;

/** A checker for a schema. Throws AppError "usage" where the schema itself is not usable. */
export async function compileChecker(schema: Readonly<Record<string, unknown>>): Promise<Checker> {
  const { fromJSONSchema } = await import("./json_schema.ts");
  let parser: ReturnType<typeof fromJSONSchema>;
  try {
    parser = fromJSONSchema(schema as Parameters<typeof fromJSONSchema>[0]);
  } catch (cause) {
    throw new AppError("usage", `The output schema cannot be used: ${describe(cause)}`, { cause });
  }
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(unfence(text));
    } catch (error) {
      return { ok: false, problem: `it is not JSON (${describe(error)})` };
    }
    const parsed = parser.safeParse(value);
    if (parsed.success) return { ok: true, value };
    const issues = parsed.error.issues.slice(0, 5).map((issue) =>
      `${issue.path.length === 0 ? "the value" : issue.path.join(".")}: ${issue.message}`
    );
    return { ok: false, problem: issues.join("; ") };
  };
}

/** The text inside a code fence that is the whole answer, or the answer as it is. */
function unfence(text: string): string {
  const fenced = /^\s*```[a-z]*\n([\s\S]*?)\n```\s*$/.exec(text);
  return fenced === null ? text : fenced[1];
}
