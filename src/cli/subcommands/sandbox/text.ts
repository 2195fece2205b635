/** An explanation for people: short lines, a table, the decision first. */
import { stripControls } from "../../../lib/text/control.ts";
import type { Judged, SandboxExplanation, SubjectExplanation } from "../../../sandbox/mod.ts";

/** What is in force, beside the explanation. */
export interface Facts {
  readonly platform: string;
  readonly mode: string;
  readonly exec: string;
  readonly approve: string;
  readonly workspace: string;
  readonly net: readonly string[];
  /** Names only. */
  readonly env: readonly string[];
  readonly rules: {
    readonly allow: readonly string[];
    readonly ask: readonly string[];
    readonly deny: readonly string[];
    readonly commands: string;
  };
  readonly project: { readonly root: string; readonly access: string };
  readonly secretsMasked: boolean;
}

const WORDS = { allow: "allowed", ask: "asked for", deny: "denied" } as const;

export function explanationText(facts: Facts, explanation: SandboxExplanation): string {
  const text = explanation.subject === null
    ? overview(facts, explanation)
    : subjectText(explanation.subject, facts);
  return stripControls(text).trimEnd();
}

function overview(facts: Facts, { wrapper, problem, remark, roots, bound }: SandboxExplanation): string {
  const rows = bound.map((
    { who, boundBy, reads, writes, network },
  ) => [who, boundBy, reads, writes, network]);
  const { rules } = facts;
  const count = rules.allow.length + rules.ask.length + rules.deny.length;
  return [
    `sandbox    ${facts.mode}, external programs: ${facts.exec}`,
    `read       ${roots.read.join(", ")}`,
    `write      ${roots.write.join(", ")}`,
    `wrapper    ${wrapper ?? `none${problem === null ? "" : `: ${problem}`}`}` +
    (remark === null ? "" : ` (${remark})`),
    `questions  ${questions(facts)}`,
    `rules      ${
      count === 0 ? "none" : `${rules.allow.length} allow, ${rules.ask.length} ask, ${rules.deny.length} deny`
    }` +
    (rules.commands === "ask" ? "; commands that no rule allows are asked for" : ""),
    `project    ${facts.project.access} (${facts.project.root})`,
    `secrets    ${
      facts.secretsMasked
        ? "kept from the model, the session and the output"
        : "NOT masked (secrets.mask is false)"
    }`,
    `variables  ${facts.env.join(" ")}`,
    "",
    ...table([["who", "bound by", "reads", "writes", "network"], ...rows]),
    "",
    "What it does not protect from: myelin docs sandbox",
  ].join("\n");
}

function questions({ approve }: Facts): string {
  switch (approve) {
    case "ask":
      return "asked in the chat; refused in a run, where nobody can answer";
    case "auto":
      return "answered by a model with the rules as its brief; refused where it is not sure and nobody can answer";
    case "always":
      return "answered with yes";
    default:
      return "answered with no";
  }
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd());
}

function subjectText(subject: SubjectExplanation, facts: Facts): string {
  const lines = [`${subject.subject}`];
  if (subject.kind === "command") {
    // The command may run; what it then touches is another question, asked for each path.
    const more = subject.decision === "allow" && subject.notes.length > 0
      ? " to run; each path is judged then"
      : "";
    lines[0] += `\n→ ${WORDS[subject.decision]}${more}`;
  }
  lines.push("");
  for (const one of subject.judged) lines.push(...judgedText(one));
  if (subject.judged.some(({ decision }) => decision === "ask")) {
    lines.push(`Questions are ${questions(facts)}.`);
  }
  lines.push(...subject.notes);
  return lines.join("\n");
}

function judgedText({ action, decision, rule, reason, runs, workedOut, allowedBy }: Judged): string[] {
  return [
    `${WORDS[decision].padEnd(9)} ${action}`,
    ...(runs === null ? [] : [`          ${runs}${workedOut ? " (worked out from the script)" : ""}`]),
    `          by: ${rule}`,
    ...(reason === null ? [] : [`          ${reason}`]),
    ...(allowedBy === null ? [] : [`          a rule for permissions.allow: "${allowedBy}"`]),
    "",
  ];
}
