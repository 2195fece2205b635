/**
 * The tree as text again, in the layout of bash's `declare -f`: what `type`, `declare` and `jobs` show.
 * Inside a function every command has its own line; elsewhere (`jobs`, `$BASH_COMMAND`) lists and groups stay
 * on one. Bodies of here-documents follow their command at once where it stands alone, and otherwise when the
 * command after the next connector, or the construct around it, has been begun: bash does so.
 */
import type { Command, Cond, Pipeline, Redirect, Statement, Word } from "./ast.ts";
import { ANSI_C, joinBytes, unescape } from "./escapes.ts";

/** A function definition as `declare -f` prints it. */
export function printFunction(name: string, body: Command): string {
  const p = new Printer(true);
  p.function(`${name} () \n`, body);
  return p.text() + "\n";
}

export function printCommand(command: Command): string {
  const p = new Printer(false);
  p.command(command);
  return p.text().trimEnd();
}

export function printStatement(s: Statement): string {
  const p = new Printer(false);
  p.list([s]);
  return p.text().trimEnd();
}

/** A whole script, one command a line; it reads back as the same commands. */
export function printStatements(list: readonly Statement[]): string {
  const p = new Printer(true, false);
  if (list.length > 0) p.list(list);
  return p.text() + "\n";
}

function redirectText(r: Redirect): string {
  const fd = r.variable !== undefined ? `{${r.variable}}` : r.fd === undefined ? "" : String(r.fd);
  const target = shown(r.target);
  const number = /^(?:[0-9]+-?|-)$/.test(target);
  switch (r.op) {
    case "<<":
    case "<<-":
      return `${fd}${r.op}${target}`;
    case ">&":
      return `${fd === "" && number ? "1" : fd}>&${target}`;
    case "<&":
      // Closing looks the same for both directions.
      return `${fd === "" && number ? "0" : fd}${target === "-" ? ">&" : "<&"}${target}`;
    case "<>":
      return `${fd === "" ? "0" : fd}<> ${target}`;
  }
  return `${fd}${r.op} ${target}`;
}

/** A word as bash keeps it: what `$'…'` stands for in single quotes. */
function shown(w: Word): string {
  // One at the end of all stands for itself; before a line's end it would be gone.
  const text = /\\*$/.exec(w.text)![0].length % 2 === 1 ? w.text + "\\" : w.text;
  if (!text.includes("$'")) return text;
  let out = "";
  for (let i = 0; i < text.length;) {
    const c = text[i];
    let end = i + 1;
    if (c === "\\") end = i + 2;
    else if (c === "'") end = after(text, i + 1, "'", false);
    else if (c === '"' || c === "`") end = after(text, i + 1, c, true);
    // What is nested is left as it was written.
    else if (c === "$" && (text[i + 1] === "(" || text[i + 1] === "{")) return out + text.slice(i);
    else if (c === "$" && text[i + 1] === "'") {
      end = after(text, i + 2, "'", true);
      const value = joinBytes(unescape(text.slice(i + 2, end - 1), ANSI_C).value);
      out += "'" + value.replaceAll("'", "'\\''") + "'";
      i = end;
      continue;
    }
    out += text.slice(i, end);
    i = end;
  }
  return out;
}

/** Place after the quote that closes what was opened before `from`. */
function after(text: string, from: number, quote: string, escapes: boolean): number {
  for (let i = from; i < text.length; i++) {
    if (escapes && text[i] === "\\") i++;
    else if (text[i] === quote) return i + 1;
  }
  return text.length;
}

const words = (list: readonly Word[]) => list.map(shown).join(" ");

class Printer {
  #out = "";
  #indent = 0;
  /** The next command goes on on the line of what is before it. */
  #same = true;
  /** In how many connections (`a; b`, `a | b`, `a && b`) the command stands. */
  #connections = 0;
  /** Here-documents whose bodies wait. */
  #bodies: Redirect[] = [];
  /** Bodies were the last thing that was written. */
  #afterBodies = false;

  /** `inside`: in the body of a function. `exact`: as bash has it even where that does not read back. */
  constructor(readonly inside: boolean, readonly exact = true) {}

  text(): string {
    this.#flush();
    return this.#out;
  }

  #newline(text: string): void {
    this.#out += "\n" + "    ".repeat(this.#indent) + text;
  }

  /** Writes what waits, after the connector. */
  #flush(connector = ""): void {
    const bodies = this.#bodies;
    if (connector !== ";") this.#out += connector;
    if (bodies.length === 0) return;
    this.#bodies = [];
    this.#writeBodies(bodies);
    if (connector !== "" && connector !== ";") this.#out += " ";
  }

  #writeBodies(bodies: readonly Redirect[]): void {
    this.#out += "\n";
    for (const r of bodies) this.#out += r.heredoc!.raw + r.heredoc!.delimiter + "\n";
    this.#afterBodies = true;
  }

  #semicolon(): void {
    if (!/[&\n]$/.test(this.#out)) this.#out += ";";
  }

  /** Statements: a left-leaning tree of connections. */
  list(list: readonly Statement[]): void {
    this.#connections += list.length - 1;
    list.forEach((s, i) => {
      const last = i === list.length - 1;
      if (last && s.background) this.#connections++;
      this.#andOr(s, s.rest.length);
      if (i > 0) {
        // bash writes the `&` of such a command on a line of its own.
        if (this.exact || !s.background) this.#flush();
        this.#connections--;
      }
      if (last && s.background) {
        this.#flush(" &");
        this.#connections--;
      }
      if (last) return;
      if (s.background) {
        this.#flush(" &");
        this.#out += " ";
        this.#same = true;
        return;
      }
      if (this.#bodies.length > 0) this.#flush(";");
      else if (this.#afterBodies) this.#afterBodies = false;
      else this.#out += ";";
      this.#out += this.inside ? "\n" : " ";
      this.#same = !this.inside;
    });
  }

  /** `a && b || c`: the first `count` connectors. */
  #andOr(s: Statement, count: number): void {
    if (count === 0) return this.#pipeline(s.first, 0);
    const { op, pipeline } = s.rest[count - 1];
    this.#connections++;
    this.#andOr(s, count - 1);
    if (this.#bodies.length > 0) this.#flush(` ${op} `);
    else this.#out += ` ${op} `;
    this.#same = true;
    this.#pipeline(pipeline, 0);
    this.#flush();
    this.#connections--;
  }

  #pipeline(p: Pipeline, from: number): void {
    if (from === 0 && (p.timed !== "" || p.negated)) {
      this.#begin();
      this.#out += (p.timed === "" ? "" : p.timed + (p.commands.length > 0 || p.negated ? " " : "")) +
        (p.negated ? "! " : "");
      this.#same = true;
    }
    if (p.commands.length === 0) return;
    if (from === p.commands.length - 1) return this.command(p.commands[from]);
    this.#connections++;
    this.command(p.commands[from]);
    this.#flush(p.both[from] ? " |&" : " |");
    this.#out += " ";
    this.#same = true;
    this.#pipeline(p, from + 1);
    this.#flush();
    this.#connections--;
  }

  /** Indents where the command begins a line. */
  #begin(): void {
    if (this.#same) this.#same = false;
    else this.#out += "    ".repeat(this.#indent);
  }

  /** The statements of a construct, on lines of their own and further in. */
  #block(list: readonly Statement[]): void {
    this.#indent++;
    this.#same = false;
    if (list.length > 0) this.list(list);
    this.#flush();
    this.#indent--;
  }

  /** A construct's test, on the line of its keyword. */
  #test(list: readonly Statement[]): void {
    this.#same = true;
    this.list(list);
  }

  command(c: Command): void {
    this.#begin();
    switch (c.kind) {
      case "simple": {
        const text = [...c.assigns.map((a) => a.text), ...c.words.map(shown)].join(" ");
        this.#out += text;
        if (c.redirects.length > 0 && text !== "") this.#out += " ";
        break;
      }
      case "group":
        this.#group(c.body);
        break;
      case "subshell":
        this.#out += "( ";
        this.#same = true;
        this.list(c.body);
        this.#flush();
        this.#out += " )";
        break;
      case "if":
        this.#out += "if ";
        this.#test(c.arms[0].test);
        this.#semicolon();
        this.#out += " then\n";
        this.#block(c.arms[0].body);
        if (c.arms.length > 1 || c.otherwise !== undefined) {
          this.#semicolon();
          this.#newline("else\n");
          // `elif` is an `if` in the `else`.
          this.#block(
            c.arms.length > 1 ? [wrap({ ...c, arms: c.arms.slice(1), redirects: [] })] : c.otherwise!,
          );
        }
        this.#semicolon();
        this.#newline("fi");
        break;
      case "for":
      case "select":
        this.#loop(`${c.kind} ${c.name} in ${c.words === undefined ? '"$@"' : words(c.words)};`, c.body);
        break;
      case "for_arith":
        this.#loop(
          `for ((${c.init.text}; ${c.test.text.trimStart()}; ${c.step.text.trimStart()}))`,
          c.body,
        );
        break;
      case "while":
        this.#out += c.until ? "until " : "while ";
        this.#test(c.test);
        this.#flush();
        this.#semicolon();
        this.#out += " do\n";
        this.#block(c.body);
        this.#semicolon();
        this.#newline("done");
        break;
      case "case":
        this.#out += `case ${shown(c.subject)} in `;
        this.#indent++;
        for (const arm of c.arms) {
          // A bare `esac` would end the command.
          const open = arm.patterns[0].text === "esac" ? "(" : "";
          this.#newline(`${open}${arm.patterns.map(shown).join(" | ")})\n`);
          this.#block(arm.body);
          this.#newline(arm.end);
        }
        this.#indent--;
        this.#newline("esac");
        break;
      case "arith":
        this.#out += `((${c.expr.text}))`;
        break;
      case "cond":
        this.#out += `[[ ${condText(c.expr)} ]]`;
        break;
      case "function":
        this.function(`function ${c.name} () \n`, c.body);
        break;
      case "coproc":
        this.#out += c.body.kind === "simple" && c.name === "COPROC" ? "coproc " : `coproc ${c.name} `;
        this.#same = true;
        this.command(c.body);
        break;
    }
    if (c.redirects.length === 0) return;
    if (c.kind !== "simple") this.#out += " ";
    this.#redirects(c.redirects);
  }

  #group(body: readonly Statement[]): void {
    this.#out += "{ ";
    if (!this.inside) {
      this.#same = true;
      this.list(body);
      this.#flush();
      this.#semicolon();
      this.#out += " }";
      return;
    }
    this.#out += "\n";
    this.#block(body);
    this.#newline("}");
  }

  #loop(head: string, body: readonly Statement[]): void {
    this.#out += head;
    this.#newline("do\n");
    this.#block(body);
    this.#semicolon();
    this.#newline("done");
  }

  /** A definition: its head and its body, which is always shown as a group. */
  function(head: string, body: Command): void {
    this.#out += head + "    ".repeat(this.#indent) + "{ \n";
    const group = body.kind === "group";
    this.#block(group ? body.body : [wrap(body)]);
    this.#newline("}");
    if (!group || body.redirects.length === 0) return;
    this.#out += " ";
    this.#redirects(body.redirects);
  }

  /** Redirections; a here-document's body waits where the command is part of a connection. */
  #redirects(list: readonly Redirect[]): void {
    const plain = list.filter((r) => r.heredoc === undefined);
    const documents = list.filter((r) => r.heredoc !== undefined);
    this.#out += [...list].map(redirectText).join(" ");
    if (plain.length === list.length) return;
    if (this.#connections > 0) this.#bodies = [...this.#bodies, ...documents];
    else this.#writeBodies(documents);
  }
}

function wrap(command: Command): Statement {
  return {
    first: { negated: false, timed: "", commands: [command], both: [], line: command.line },
    rest: [],
    background: false,
    line: command.line,
  };
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
      return `${e.op} ${shown(e.operand)}`;
    case "binary":
      return `${shown(e.left)} ${e.op} ${shown(e.right)}`;
  }
}
