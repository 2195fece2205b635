/** Walking over the tree of an awk program. */
import type { Expr, Stmt } from "./ast.ts";

/** Calls `visit` for an expression and all in it, outer ones first. */
export function walkExpr(expr: Expr, visit: (node: Expr) => void): void {
  visit(expr);
  const all = (items: readonly Expr[]) => items.forEach((item) => walkExpr(item, visit));
  switch (expr.type) {
    case "group":
      return walkExpr(expr.body, visit);
    case "list":
      return all(expr.items);
    case "field":
      return walkExpr(expr.index, visit);
    case "index":
      return all(expr.subscript);
    case "assign":
      walkExpr(expr.target, visit);
      return walkExpr(expr.value, visit);
    case "cond":
      return all([expr.test, expr.yes, expr.no]);
    case "binary":
      return all([expr.left, expr.right]);
    case "unary":
      return walkExpr(expr.operand, visit);
    case "step":
      return walkExpr(expr.target, visit);
    case "in":
      return all(expr.subscript);
    case "call":
    case "builtin":
      return all(expr.args);
    case "getline":
      if (expr.source) walkExpr(expr.source, visit);
      if (expr.target) walkExpr(expr.target, visit);
  }
}

/** The same for the expressions of a statement, and `visitStmt` for the statements. */
export function walkStmt(
  stmt: Stmt,
  visit: (node: Expr) => void,
  visitStmt: (node: Stmt) => void = () => {},
): void {
  visitStmt(stmt);
  const expr = (each: Expr | undefined) => {
    if (each) walkExpr(each, visit);
  };
  const inner = (each: Stmt | undefined) => {
    if (each) walkStmt(each, visit, visitStmt);
  };
  switch (stmt.type) {
    case "expr":
      return expr(stmt.expr);
    case "print":
    case "printf":
      stmt.args.forEach(expr);
      return expr(stmt.redirect?.target);
    case "block":
      return stmt.body.forEach(inner);
    case "if":
      expr(stmt.test);
      inner(stmt.yes);
      return inner(stmt.no);
    case "while":
    case "do":
      expr(stmt.test);
      return inner(stmt.body);
    case "for":
      inner(stmt.init);
      expr(stmt.test);
      inner(stmt.step);
      return inner(stmt.body);
    case "forin":
      expr(stmt.variable);
      return inner(stmt.body);
    case "switch":
      expr(stmt.subject);
      for (const each of stmt.cases) {
        expr(each.test);
        each.body.forEach(inner);
      }
      return;
    case "exit":
    case "return":
      return expr(stmt.value);
    case "delete":
      stmt.subscript?.forEach(expr);
  }
}
