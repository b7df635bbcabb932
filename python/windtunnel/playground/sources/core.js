// The simulator: a WebAssembly module, asked in a worker of its own where the browser gives one, else in the page.
"use strict";

// Complete in itself: its text is also the worker's.
function windtunnelCore(module) {
  let exports = null;
  const text = (at, bytes) => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, bytes));

  // The words and numbers of a run's frames, copied out of the module's memory.
  const taken = (frames) => {
    const all = {};
    for (const frame of frames) {
      const columns = {};
      for (const [name, column] of Object.entries(frame.columns)) {
        columns[name] = column.words || new Float64Array(exports.memory.buffer, column.at, frame.height).slice();
      }
      all[frame.name] = { height: frame.height, columns };
    }
    return all;
  };

  // What it answers to `catalogue`, `fill` or `run`: {ok} or {error: {field, problem}}. A broken invariant ends a module; the next question has a new one.
  return (what, question = "") => {
    exports ||= new WebAssembly.Instance(module, {}).exports;
    const bytes = new TextEncoder().encode(question);
    const at = exports.room(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    const began = performance.now();
    try {
      exports[what]();
    } catch (error) {
      const said = text(exports.last_words(), exports.last_words_bytes()) || String(error);
      exports = null;
      return { error: { field: "", problem: said } };
    }
    const answer = JSON.parse(text(exports.answer(), exports.answer_bytes()));
    if (answer.ok && answer.ok.frames) {
      answer.ok.wall_ms = performance.now() - began;
      answer.ok.frames = taken(answer.ok.frames);
    }
    return answer;
  };
}

const tunnel = {};

tunnel.core = (() => {
  const WORKER = `${windtunnelCore}
    let ask = null;
    onmessage = ({ data }) => {
      if (data.module) ask = windtunnelCore(data.module);
      else postMessage({ number: data.number, answer: ask(data.what, data.question) });
    };`;
  let module = null;
  let here = null;
  let worker = null;
  let number = 0;
  const waiting = new Map();

  const unpacked = async () => {
    const packed = Uint8Array.from(atob(document.getElementById("core").textContent.trim()), (sign) => sign.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  };

  const hire = () => {
    if (worker || worker === false) return;
    try {
      worker = new Worker(URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" })));
      worker.onmessage = ({ data }) => {
        waiting.get(data.number)?.(data.answer);
        waiting.delete(data.number);
      };
      worker.postMessage({ module });
    } catch {
      // A browser that gives pages from a disk no worker: the page itself stands still while it runs.
      worker = false;
    }
  };

  // Runs a scenario, JSON text; an earlier run that has not ended is given up, and answers null.
  const run = (question) => {
    stop();
    hire();
    if (!worker) return new Promise((done) => setTimeout(() => done(here("run", question)), 0));
    number += 1;
    return new Promise((done) => {
      waiting.set(number, done);
      worker.postMessage({ number, what: "run", question });
    });
  };

  const stop = () => {
    if (!worker || !waiting.size) return;
    worker.terminate();
    worker = null;
    for (const done of waiting.values()) done(null);
    waiting.clear();
  };

  const start = async () => {
    module = await WebAssembly.compile(await unpacked());
    here = windtunnelCore(module);
    return here("catalogue").ok;
  };

  return { start, run, stop, fill: (question) => here("fill", question) };
})();
