/**
 * The sample project that demo/tour works on: a few lines of shell with one
 * fault, and tests that find it. It needs nothing but a shell; `test.sh` may
 * be sourced, and so never calls `exit`.
 */

/** `mode`: permission bits; default: the system's. */
export interface SampleFile {
  /** Relative, with "/". */
  readonly path: string;
  readonly content: string;
  readonly mode?: number;
}

/** What a user might ask here. */
export const samplePrompt = "The tests of this project fail. Find the fault and mend it.";

/** How the tests are run, in the project's folder. */
export const testCommand = ". ./test.sh";

/** The line with the fault, and the line that mends it. */
export const fault = {
  path: "cart.sh",
  wrong: 'if [ "$1" -gt 5000 ]; then',
  right: 'if [ "$1" -ge 5000 ]; then',
} as const;

const README = `# cart

Adds up a shopping cart and its shipping. Prices are in cents.

- \`cart.sh\`: the functions \`total\` and \`shipping\`
- \`cart.txt\`: a cart to try them on
- \`test.sh\`: the tests; run them in this folder with \`. ./test.sh\`
`;

const CART = `# total FILE: the sum of a cart's lines, each "name price".
total() {
  sum=0
  while read -r name price; do
    sum=$((sum + price))
  done < "$1"
  echo "$sum"
}

# shipping CENTS: orders of 5000 cents and more ship free, others pay 495.
shipping() {
  ${fault.wrong}
    echo 0
  else
    echo 495
  fi
}
`;

const TESTS = `. ./cart.sh

failed=0

# check NAME GOT WANTED
check() {
  if [ "$2" = "$3" ]; then
    echo "ok    $1"
  else
    echo "FAIL  $1: got $2, wanted $3"
    failed=$((failed + 1))
  fi
}

check "the sample cart adds up" "$(total cart.txt)" 4250
check "a small order pays for shipping" "$(shipping 1200)" 495
check "an order just below the limit pays" "$(shipping 4999)" 495
check "an order at the limit ships free" "$(shipping 5000)" 0
check "a large order ships free" "$(shipping 9000)" 0

echo "$failed failed"
[ "$failed" -eq 0 ]
`;

const ITEMS = `lamp 2900
bulb 350
cable 1000
`;

/** The files, to be laid into an empty folder. */
export function sampleProject(): SampleFile[] {
  return [
    { path: "README.md", content: README },
    { path: fault.path, content: CART },
    { path: "cart.txt", content: ITEMS },
    { path: "test.sh", content: TESTS, mode: 0o755 },
  ];
}
