/** The tree as text again, in the layout of bash's `declare -f`: what `type`, `declare` and `jobs` show. */
import type { Assign, Command, Cond, Pipeline, Redirect, Statement, Word } from "./ast.ts";

/** A function definition as `declare -f` prints it. */
export function printFunction(name: string, body: Command): string {
  const group = body.kind === "group" && body.redirects.length === 0 ? body.body : undefined;
  const p = new Printer();
  p.line(0, `${name} () `);
  p.line(0, "{ ");
  if (group !== undefined) p.statements(group, 1);
  else if (body.kind === "group") p.statements(body.body, 1);
  else p.statements([wrap(body)], 1);
  const redirects = body.kind === "group" ? redirectsText(body.redirects) : "";
  p.line(0, "}" + redirects);
  return p.text();
}

function wrap(command: Command): Statement {
  return {
    first: { negated: false, timed: "", commands: [command], both: [], line: command.line },
    rest: [],
    background: false,
    line: command.line,
  };
}

export function printCommand(command: Command): string {
  const p = new Printer();
  p.command(command, 0, "", "");
  return p.text().trimEnd();
}

export function printPipeline(pipeline: Pipeline): string {
  return printStatement({ first: pipeline, rest: [], background: false, line: pipeline.line });
}

export function printStatement(s: Statement): string {
  const p = new Printer();
  p.statement(s, 0, "");
  return p.text().trimEnd();
}

export function printStatements(list: readonly Statement[]): string {
  const p = new Printer();
  p.statements(list, 0);
  return p.text();
}

function redirectText(r: Redirect): string {
  const fd = r.variable !== undefined ? `{${r.variable}}` : r.fd === undefined ? "" : String(r.fd);
  if (r.op === "<<" || r.op === "<<-") return `${fd}${r.op}${r.target.text}`;
  const space = r.op === "<&" || r.op === ">&" ? "" : " ";
  let op: string = r.op;
  if (r.op === ">&" && fd === "" && /^([0-9]+-?|-)$/.test(r.target.text)) op = "1>&";
  if (r.op === "<&" && fd === "" && /^([0-9]+-?|-)$/.test(r.target.text)) op = "0<&";
  return `${fd}${op}${space}${r.target.text}`;
}

function redirectsText(list: readonly Redirect[]): string {
  return list.map((r) => " " + redirectText(r)).join("");
}

const word = (w: Word) => w.text;

class Printer {
  #out = "";
  /** Here-documents whose bodies follow the line being written. */
  #bodies: Redirect[] = [];

  text(): string {
    this.#flushBodies();
    return this.#out;
  }

  #flushBodies(): void {
    if (this.#bodies.length === 0) return;
    if (!this.#out.endsWith("\n")) this.#out += "\n";
    const bodies = this.#bodies;
    this.#bodies = [];
    for (const r of bodies) {
      if (r.heredoc !== undefined) this.#out += r.heredoc.raw + r.heredoc.delimiter + "\n";
    }
  }

  line(indent: number, text: string): void {
    this.#out += "    ".repeat(indent) + text;
    this.#end();
  }

  #end(blank = false): void {
    if (this.#bodies.length > 0) {
      this.#out += "\n";
      this.#flushBodies();
      if (blank) this.#out += "\n";
    } else if (!this.#out.endsWith("\n")) this.#out += "\n";
  }

  /** Statements, one a line. `closed`: the last one ends with a semicolon too (before `done`, `fi`). */
  statements(list: readonly Statement[], indent: number, closed = false): void {
    let same = false;
    list.forEach((s, i) => {
      if (!same) this.#out += "    ".repeat(indent);
      this.statement(s, indent, closed || i < list.length - 1 ? ";" : "");
      // What follows a background command stays on its line.
      same = s.background && i < list.length - 1 && this.#bodies.length === 0;
      if (same) this.#out += " ";
      else this.#end(i < list.length - 1);
    });
  }

  statement(s: Statement, indent: number, end: string): void {
    this.pipeline(s.first, indent, s.rest.length === 0 ? (s.background ? "" : end) : "");
    s.rest.forEach(({ op, pipeline }, i) => {
      const last = i === s.rest.length - 1;
      if (this.#bodies.length > 0) {
        this.#out += ` ${op}`;
        this.#end();
      } else this.#out += ` ${op} `;
      this.pipeline(pipeline, indent, last && !s.background ? end : "");
    });
    if (s.background) this.#out += " &";
  }

  pipeline(p: Pipeline, indent: number, end: string): void {
    if (p.timed !== "") this.#out += p.timed + (p.commands.length > 0 ? " " : "");
    if (p.negated) this.#out += "! ";
    p.commands.forEach((c, i) => {
      if (i > 0) {
        const bar = p.both[i - 1] ? "|&" : "|";
        if (this.#bodies.length > 0) {
          this.#out += ` ${bar}`;
          this.#end();
        } else this.#out += ` ${bar} `;
      }
      this.command(c, indent, "", i === p.commands.length - 1 ? end : "");
    });
  }

  command(c: Command, indent: number, _before: string, end: string): void {
    const pad = "    ".repeat(indent);
    switch (c.kind) {
      case "simple":
        this.#out += [...c.assigns.map((a: Assign) => a.text), ...c.words.map(word)].join(" ");
        if (c.redirects.length > 0) {
          const text = redirectsText(c.redirects);
          this.#out += c.assigns.length + c.words.length === 0 ? text.slice(1) : text;
        }
        break;
      case "group":
        this.#out += "{ \n";
        this.statements(c.body, indent + 1);
        this.#out += pad + "}";
        break;
      case "subshell":
        this.#out += "( ";
        c.body.forEach((s, i) => {
          if (i > 0) this.#out += pad;
          this.statement(s, indent, i < c.body.length - 1 ? ";" : "");
          if (i < c.body.length - 1) this.#end();
        });
        if (this.#bodies.length > 0) this.#end();
        this.#out += this.#out.endsWith("\n") ? ")" : " )";
        break;
      case "if":
        this.#out += "if ";
        this.#inline(c.arms[0].test, indent);
        this.#out += "; then\n";
        this.statements(c.arms[0].body, indent + 1, true);
        if (c.arms.length > 1) {
          // `elif` is an `if` in the `else`.
          this.#out += pad + "else\n";
          this.statements([wrap({ ...c, arms: c.arms.slice(1), redirects: [] })], indent + 1, true);
        } else if (c.otherwise !== undefined) {
          this.#out += pad + "else\n";
          this.statements(c.otherwise, indent + 1, true);
        }
        this.#out += pad + "fi";
        break;
      case "for":
      case "select":
        this.#out += `${c.kind} ${c.name}${
          c.words === undefined ? "" : ` in ${c.words.map(word).join(" ")}`.trimEnd()
        };\n${pad}do\n`;
        this.statements(c.body, indent + 1, true);
        this.#out += pad + "done";
        break;
      case "for_arith":
        this.#out +=
          `for ((${c.init.text}; ${c.test.text.trimStart()}; ${c.step.text.trimStart()}))\n${pad}do\n`;
        this.statements(c.body, indent + 1, true);
        this.#out += pad + "done";
        break;
      case "while":
        this.#out += c.until ? "until " : "while ";
        this.#inline(c.test, indent);
        this.#out += "; do\n";
        this.statements(c.body, indent + 1, true);
        this.#out += pad + "done";
        break;
      case "case":
        this.#out += `case ${c.subject.text} in \n`;
        for (const arm of c.arms) {
          // A bare `esac` would end the command.
          const open = arm.patterns[0].text === "esac" ? "(" : "";
          this.#out += `${pad}    ${open}${arm.patterns.map(word).join(" | ")})\n`;
          this.statements(arm.body, indent + 2);
          if (arm.body.length === 0) this.#out += "\n";
          this.#out += `${pad}    ${arm.end}\n`;
        }
        this.#out += pad + "esac";
        break;
      case "arith":
        this.#out += `((${c.expr.text}))`;
        break;
      case "cond":
        this.#out += `[[ ${condText(c.expr)} ]]`;
        break;
      case "function": {
        this.#out += `function ${c.name} () \n`;
        const body = c.body;
        this.#out += pad + "{ \n";
        if (body.kind === "group") this.statements(body.body, indent + 1);
        else this.statements([wrap(body)], indent + 1);
        this.#out += pad + "}" + (body.kind === "group" ? redirectsText(body.redirects) : "");
        break;
      }
      case "coproc":
        this.#out += c.body.kind === "simple" && c.name === "COPROC" ? "coproc " : `coproc ${c.name} `;
        this.command(c.body, indent, "", "");
        break;
    }
    if (c.kind !== "simple" && c.redirects.length > 0) this.#out += redirectsText(c.redirects);
    for (const r of c.redirects) if (r.heredoc !== undefined) this.#bodies.push(r);
    if (this.#bodies.length === 0) this.#out += end;
  }

  /** A list on the line of its keyword. */
  #inline(list: readonly Statement[], indent: number): void {
    list.forEach((s, i) => {
      if (i > 0) this.#out += this.#bodies.length > 0 ? "" : list[i - 1].background ? " " : "; ";
      if (this.#bodies.length > 0) this.#flushBodies();
      this.statement(s, indent, "");
    });
    if (this.#bodies.length > 0) this.#flushBodies();
  }
}

function condText(e: Cond): string {
  switch (e.kind) {
    case "and":
      return `${condText(e.left)} && ${condText(e.right)}`;
    case "or":
      return `${condText(e.left)} || ${condText(e.right)}`;
    case "not":
      return `! ${condText(e.operand)}`;
    case "parens":
      return `( ${condText(e.operand)} )`;
    case "unary":
      return `${e.op} ${e.operand.text}`;
    case "binary":
      return `${e.left.text} ${e.op} ${e.right.text}`;
  }
}
