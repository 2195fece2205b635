/** A worker that does what its calls name: answer, stay silent, loop without looking, crash, go to rest. */
import { ANSWER } from "../../../src/sandbox/worker/file_wire.ts";
import { CELLS, type ToMain, type ToWorker } from "../../../src/sandbox/worker/messages.ts";

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ToWorker>) => void;
  postMessage(message: ToMain): void;
};
let memory: unknown;
let answers: SharedArrayBuffer | undefined;
let cells = new Int32Array(new SharedArrayBuffer(4));

scope.onmessage = ({ data }) => {
  if (data.type === "init") {
    cells = new Int32Array(data.cells);
    memory = data.memory;
    answers = data.answers;
  }
  if (data.type === "rest") scope.postMessage({ type: "resting", memory: "what I knew" });
  if (data.type === "cancel") {
    scope.postMessage({ type: "result", call: data.call, result: `ended: ${data.reason}` });
  }
  if (data.type !== "call") return;
  const { call, name } = data;
  switch (name) {
    case "echo":
      return scope.postMessage({ type: "result", call, result: data.args });
    case "memory":
      return scope.postMessage({ type: "result", call, result: memory ?? "nothing" });
    case "wait":
      return;
    case "crash":
      // Outside of any handler, so that nobody can catch it.
      setTimeout(() => {
        throw new Error("it broke");
      });
      return;
    case "forge": {
      // Says that somebody has allowed what nobody was asked for.
      const path = String(data.args);
      const state = new Int32Array(answers!, 0, ANSWER.cells);
      scope.postMessage({
        type: "file",
        request: { op: "open", path, options: { write: true, create: true, truncate: true } },
        granted: [{ kind: "write", path, tree: true, opens: true }],
      });
      Atomics.wait(state, ANSWER.state, 0);
      const text = new TextDecoder().decode(
        new Uint8Array(answers!, ANSWER.cells * 4).slice(0, state[ANSWER.text]),
      );
      return scope.postMessage({ type: "result", call, result: text });
    }
    case "deadline":
      return scope.postMessage({ type: "deadline", call, ms: 20 });
    case "loop": {
      // Polls the flag as every loop of a tool does.
      while (Atomics.load(cells, data.cell) === 0) { /* busy */ }
      return scope.postMessage({ type: "result", call, result: "saw the flag" });
    }
    case "deaf": {
      // Looks at nothing, until somebody else tells it to end, so that the test leaves no loop behind.
      const flag = new Int32Array(data.args as SharedArrayBuffer);
      while (Atomics.load(flag, 0) === 0) { /* busy */ }
      return;
    }
    case "ask": {
      scope.postMessage({
        type: "question",
        id: 1,
        call,
        question: { ask: "permit", action: { kind: "run", argv: ["x"], program: "/bin/x", cwd: "/" } },
        still: true,
      });
      Atomics.wait(cells, CELLS.answer, 0);
      return scope.postMessage({
        type: "result",
        call,
        result: Atomics.load(cells, CELLS.answer) === 1 ? "yes" : "no",
      });
    }
  }
};
