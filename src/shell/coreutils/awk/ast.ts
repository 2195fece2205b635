/** The tree of an awk program. */

export type Expr =
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "regex"; readonly source: string }
  | { readonly type: "group"; readonly body: Expr }
  /** `(a, b)`: only before `in` and after print. */
  | { readonly type: "list"; readonly items: readonly Expr[] }
  | Lvalue
  | { readonly type: "assign"; readonly op: string; readonly target: Lvalue; readonly value: Expr }
  | { readonly type: "cond"; readonly test: Expr; readonly yes: Expr; readonly no: Expr }
  | { readonly type: "binary"; readonly op: string; readonly left: Expr; readonly right: Expr }
  | { readonly type: "unary"; readonly op: "!" | "-" | "+"; readonly operand: Expr }
  | { readonly type: "step"; readonly op: "++" | "--"; readonly prefix: boolean; readonly target: Lvalue }
  | { readonly type: "in"; readonly subscript: readonly Expr[]; readonly array: string }
  | { readonly type: "call"; readonly name: string; readonly args: readonly Expr[]; readonly line: number }
  | { readonly type: "builtin"; readonly name: string; readonly args: readonly Expr[]; readonly line: number }
  | {
    readonly type: "getline";
    readonly from: "input" | "file" | "command";
    readonly source?: Expr;
    readonly target?: Lvalue;
  };

export type Lvalue =
  | { readonly type: "var"; readonly name: string }
  | { readonly type: "field"; readonly index: Expr }
  | { readonly type: "index"; readonly array: string; readonly subscript: readonly Expr[] };

export interface Redirect {
  readonly kind: ">" | ">>" | "|";
  readonly target: Expr;
}

export type Stmt =
  | { readonly type: "expr"; readonly expr: Expr }
  | { readonly type: "print"; readonly args: readonly Expr[]; readonly redirect?: Redirect }
  | { readonly type: "printf"; readonly args: readonly Expr[]; readonly redirect?: Redirect }
  | { readonly type: "block"; readonly body: readonly Stmt[] }
  | { readonly type: "if"; readonly test: Expr; readonly yes: Stmt; readonly no?: Stmt }
  | { readonly type: "while"; readonly test: Expr; readonly body: Stmt }
  | { readonly type: "do"; readonly test: Expr; readonly body: Stmt }
  | {
    readonly type: "for";
    readonly init?: Stmt;
    readonly test?: Expr;
    readonly step?: Stmt;
    readonly body: Stmt;
  }
  | { readonly type: "forin"; readonly variable: Lvalue; readonly array: string; readonly body: Stmt }
  | {
    readonly type: "switch";
    readonly subject: Expr;
    readonly cases: readonly { readonly test?: Expr; readonly body: readonly Stmt[] }[];
  }
  | { readonly type: "break" | "continue" | "next" | "nextfile" }
  | { readonly type: "exit" | "return"; readonly value?: Expr }
  | { readonly type: "delete"; readonly array: string; readonly subscript?: readonly Expr[] };

export type Pattern =
  | { readonly type: "begin" }
  | { readonly type: "end" }
  | { readonly type: "always" }
  | { readonly type: "expr"; readonly test: Expr }
  | { readonly type: "range"; readonly first: Expr; readonly last: Expr };

export interface Rule {
  readonly pattern: Pattern;
  /** Undefined: print the record. */
  readonly body: readonly Stmt[] | undefined;
}

export interface FunctionDef {
  readonly name: string;
  readonly params: readonly string[];
  readonly body: readonly Stmt[];
}

export interface Program {
  readonly rules: readonly Rule[];
  readonly functions: ReadonlyMap<string, FunctionDef>;
}
