/**
 * Two hundred edits as models get them slightly wrong: indentation off by one,
 * tabs for spaces, typographic quotes, other line ends; in five languages.
 * Nearly all must land as if they had been written right; none may change
 * anything else.
 */
import { assert, assertEquals } from "@std/assert";
import { matchEdit } from "../../../src/tools/shared/match_edit.ts";

const SAMPLES: Readonly<Record<string, string>> = {
  python: `"""Orders and what they cost."""
from dataclasses import dataclass


@dataclass
class Order:
    name: str
    amount: int = 1

    def total(self, prices):
        # the customer's own price wins
        if self.name in prices:
            price = prices[self.name]
            if price < 0:
                raise ValueError("negative price: " + self.name)
            return price * self.amount
        return 0

    def label(self):
        parts = [self.name, "x", str(self.amount)]
        return " ".join(parts)


def read_orders(path):
    orders = []
    with open(path, encoding="utf-8") as source:
        for line in source:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            name, _, amount = line.partition("=")
            orders.append(Order(name.strip(), int(amount)))
    return orders
`,
  go: `package store

import (
\t"errors"
\t"fmt"
)

// Get returns the value of a key; "missing" is an error.
func (s *Store) Get(key string) (string, error) {
\ts.mu.Lock()
\tdefer s.mu.Unlock()
\tif value, ok := s.items[key]; ok {
\t\ts.hits++
\t\treturn value, nil
\t}
\ts.misses++
\treturn "", errors.New("missing: " + key)
}

func (s *Store) Each(visit func(key, value string) bool) {
\tfor key, value := range s.items {
\t\tif !visit(key, value) {
\t\t\tfmt.Println("stopped at", key)
\t\t\tbreak
\t\t}
\t}
}

func (s *Store) Clear() {
\ts.items = map[string]string{}
\ts.hits, s.misses = 0, 0
\ts.log("cleared")
}
`,
  typescript: `import { open } from "./files.ts";

export interface Options {
  readonly retries: number;
  readonly label: string;
}

export async function load(path: string, options: Options): Promise<string[]> {
  const lines: string[] = [];
  for (let attempt = 0; attempt <= options.retries; attempt++) {
    try {
      const file = await open(path);
      lines.push(...(await file.text()).split('\\n'));
      break;
    } catch (error) {
      if (attempt === options.retries) {
        throw new Error("cannot load '" + path + "'", { cause: error });
      }
      console.warn(options.label, "failed, again:", attempt);
    }
  }
  return lines.filter((line) => line !== "");
}

export class Counter {
  #count = 0;

  next(): number {
    this.#count += 1;
    return this.#count;
  }

  reset(to: number): void {
    this.#count = to;
  }
}
`,
  java: `package shop;

import java.util.List;

public class Cart {
    private final List<Item> items;
    private double discount = 0.0;

    public Cart(List<Item> items) {
        this.items = items;
    }

    /** Sums up; an empty cart costs "nothing". */
    public double total() {
        double sum = 0;
        for (Item item : items) {
            if (item.isFree()) {
                continue;
            }
            sum += item.price() * item.count();
        }
        return sum * (1 - discount);
    }

    public void setDiscount(double discount) {
        if (discount < 0 || discount > 1) {
            throw new IllegalArgumentException("discount: " + discount);
        }
        this.discount = discount;
    }

    public String toString() {
        return "Cart[" + items.size() + "]";
    }
}
`,
  rust: `use std::collections::HashMap;

pub struct Counter {
    words: HashMap<String, usize>,
    total: usize,
}

impl Counter {
    pub fn add(&mut self, text: &str) {
        for word in text.split_whitespace() {
            let key = word.trim_matches('"').to_lowercase();
            if key.is_empty() {
                continue;
            }
            *self.words.entry(key).or_insert(0) += 1;
            self.total += 1;
        }
    }

    pub fn top(&self, count: usize) -> Vec<(&str, usize)> {
        let mut all: Vec<_> = self.words.iter().map(|(w, n)| (w.as_str(), *n)).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        all.truncate(count);
        all
    }

    pub fn report(&self) -> String {
        match self.total {
            0 => String::from("nothing"),
            n => format!("{} words, {} of them different", n, self.words.len()),
        }
    }
}
`,
};

type Lines = string[];

interface Case {
  readonly name: string;
  readonly file: string;
  readonly oldText: string;
  readonly newText: string;
  readonly expected: string;
}

type Disturb = (
  old: Lines,
  now: Lines,
  next: (below: number) => number,
) => { old: Lines; now: Lines } | undefined;

const DISTURBANCES: Readonly<Record<string, Disturb>> = {
  indentation(old, now, next) {
    const kind = next(4);
    if (kind === 3) {
      // Only the first line of the block lost its indentation (it was pasted from the middle of a line) while the rest is off.
      const shift = (lines: Lines) =>
        lines.map((line, i) => i === 0 ? line.trimStart() : line === "" ? line : " " + line);
      return { old: shift(old), now: shift(now) };
    }
    const by = kind === 0 ? " " : kind === 1 ? "-" : "  ";
    const shift = (line: string) => {
      if (line === "") return line;
      if (by !== "-") return by + line;
      return /^[ \t]/.test(line) ? line.slice(1) : line;
    };
    if (by === "-" && [...old, ...now].some((line) => line !== "" && !/^[ \t]/.test(line))) return undefined;
    return { old: old.map(shift), now: now.map(shift) };
  },
  tabs(old, now) {
    const tabbed = [...old, ...now].some((line) => line.startsWith("\t"));
    const unit = smallest([...old, ...now]);
    if (!tabbed && unit === 0) return undefined;
    const swap = (line: string) => {
      const indent = /^[ \t]*/.exec(line)![0];
      const other = tabbed ? "    ".repeat(indent.length) : "\t".repeat(indent.length / unit);
      return other + line.slice(indent.length);
    };
    return { old: old.map(swap), now: now.map(swap) };
  },
  quotes(old, now) {
    if (!old.some((line) => /["']/.test(line))) return undefined;
    const smart = (line: string) => {
      let open = false;
      return line.replace(/"/g, () => {
        open = !open;
        return open ? "“" : "”";
      }).replace(/'/g, "’");
    };
    return { old: old.map(smart), now: now.map(smart) };
  },
  ends(old, now) {
    return { old: old.map((line) => line + "\r"), now: now.map((line) => line + "\r") };
  },
};

function smallest(lines: Lines): number {
  const widths = lines.map((line) => /^ */.exec(line)![0].length).filter((width) => width > 0);
  if (widths.length === 0) return 0;
  const unit = widths.some((width) => width % 4 !== 0) ? 2 : 4;
  return widths.every((width) => width % unit === 0) ? unit : 0;
}

function* cases(): Generator<Case> {
  let state = 7;
  const next = (below: number) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return Math.floor(state / 4294967296 * below);
  };
  for (const [kind, disturb] of Object.entries(DISTURBANCES)) {
    for (const [language, sample] of Object.entries(SAMPLES)) {
      for (let made = 0; made < 10;) {
        const lines = sample.split("\n");
        const from = next(lines.length - 8) + 2;
        const old = lines.slice(from, from + 2 + next(4));
        if (old[0].trim().length < 4 || old.at(-1)!.trim() === "") continue;
        const now = change(old, next);
        const both = disturb(old, now, next);
        // Now and then only the old text is off, the new one is written as the file is.
        const disturbed = both === undefined || next(4) > 0 ? both : { ...both, now };
        if (disturbed === undefined || disturbed.old.join("\n") === old.join("\n")) continue;
        const end = kind === "ends" && next(2) === 0 ? "\r\n" : "\n";
        const whole = (part: Lines) =>
          [...lines.slice(0, from), ...part, ...lines.slice(from + old.length)].join(end);
        made++;
        yield {
          name: `${kind}, ${language} ${made}, line ${from + 1}`,
          file: whole(old),
          oldText: disturbed.old.join("\n"),
          newText: disturbed.now.join("\n"),
          expected: whole(now),
        };
      }
    }
  }
}

/** What an edit typically does to a few lines. */
function change(old: Lines, next: (below: number) => number): Lines {
  const at = next(old.length);
  const indent = /^[ \t]*/.exec(old[at])![0];
  const added = indent + `note("added ${next(100)}")`;
  switch (next(3)) {
    case 0:
      return old.map((line, i) =>
        i === at ? line.replace(/[A-Za-z_]+(?=[^A-Za-z_]*$)/, "changed") + " // now" : line
      );
    case 1:
      return [...old.slice(0, at + 1), added, ...old.slice(at + 1)];
    default:
      return old.length > 2 ? old.filter((_, i) => i !== at) : [...old, added];
  }
}

Deno.test("matchEdit() puts slightly wrong edits where they belong, and none elsewhere", () => {
  let right = 0;
  let all = 0;
  const missed: string[] = [];
  for (const { name, file, oldText, newText, expected } of cases()) {
    all++;
    const found = matchEdit(file, { oldText, newText });
    if (!found.ok) {
      missed.push(`${name}: ${found.reason}`);
      continue;
    }
    assertEquals(found.splices.length, 1);
    const { start, end, text } = found.splices[0];
    const result = file.slice(0, start) + text + file.slice(end);
    if (result === expected) right++;
    else {missed.push(
        `${name}:\n--- old\n${oldText}\n--- new\n${newText}\n--- wanted\n${expected}\n--- got\n${result}`,
      );}
  }
  assertEquals(all, 200);
  assert(right >= 0.98 * all, `${right} of ${all} right\n${missed.join("\n\n")}`);
});
