/* Python in a Web Worker: loads it once, then runs the programs that the page sends. See try.js for the messages. */

import { ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI } from "./shim/index.js";

const LIMIT = 100000;                 // characters of output that a run may show
const MEMORY = 2 ** 30;               // bytes after which a new interpreter is begun: its memory never shrinks
const REPORT = 200000;                // bytes between two reports of progress
const LIBRARY = "python315.zip";      // the name that this version of Python looks for
const VARIABLES = ["HOME=/tmp", "TMPDIR=/tmp", "PYTHONTZPATH=", "NO_COLOR=1"];
const IMPORTS = `import sys
sys.path.append("/tmp/project.zip")
sys.stdout.reconfigure(line_buffering=True)
import driver, numpy, reference`;

let files, python, shown;

/* A stream of the file's bytes, unpacked. Some servers unpack .gz files themselves: the first bytes tell. */
async function unpacked(name, progress) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name} could not be loaded: the server says ${response.status}`);
  const [first, all] = response.body.tee();
  const reader = first.getReader();
  const { value } = await reader.read();
  reader.cancel();
  const packed = value && value[0] === 0x1f && value[1] === 0x8b;
  const counted = all.pipeThrough(new TransformStream({
    transform(chunk, controller) { progress(chunk.length); controller.enqueue(chunk); },
  }));
  return packed ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
}

async function load() {
  let loaded = 0, reported = 0;
  const progress = bytes => {
    loaded += bytes;
    if (loaded - reported > REPORT) postMessage({ loaded: reported = loaded });
  };
  const bytes = async name => new Uint8Array(await new Response(await unpacked(name, progress)).arrayBuffer());
  const compiled = async name => WebAssembly.compileStreaming(
    new Response(await unpacked(name, progress), { headers: { "Content-Type": "application/wasm" } }));
  const [module, library, project] = await Promise.all(
    [compiled("python.wasm.gz"), bytes("library.zip.gz"), bytes("project.zip")]);
  return { module, library, project };
}

/* Where Python's output goes. Past the limit it is dropped, and the page is told once. */
function output(kind) {
  const decoder = new TextDecoder();
  return new ConsoleStdout(bytes => {
    const text = decoder.decode(bytes, { stream: true });
    const room = LIMIT - shown;
    shown += text.length;
    if (room >= 0 && text) postMessage({ [kind]: text.slice(0, room) });
    if (room >= 0 && shown > LIMIT) postMessage({ cut: LIMIT });
  });
}

function folder(contents) {
  return new Directory(new Map(Object.entries(contents)));
}

/* A new interpreter, with reference imported. */
function start() {
  shown = 0;
  const lib = folder({ [LIBRARY]: new File(files.library, { readonly: true }) });
  const root = new PreopenDirectory("/", new Map(Object.entries({
    usr: folder({ local: folder({ lib }) }),
    tmp: folder({ "project.zip": new File(files.project, { readonly: true }) }),
  })));
  const streams = [new OpenFile(new File([])), output("text"), output("error"), root];
  const wasi = new WASI(["/usr/local/bin/python.wasm"], VARIABLES, streams, { debug: false });
  const host = { call: () => -1 };    // "there is no host": programs reach nothing outside
  python = new WebAssembly.Instance(files.module, { wasi_snapshot_preview1: wasi.wasiImport, host });
  wasi.inst = python;
  python.exports._initialize();
  if (turn(IMPORTS) !== 0) throw new Error("Python cannot import reference");
}

/* Runs Python code in the interpreter. Returns 0, or the status of an error. */
function turn(code) {
  const bytes = new TextEncoder().encode(code);
  const place = python.exports.host_alloc(bytes.length) >>> 0;
  new Uint8Array(python.exports.memory.buffer, place, bytes.length).set(bytes);
  return python.exports.turn(place, bytes.length);
}

function run(source) {
  shown = 0;
  const began = performance.now();
  try {
    turn(`__import__("driver").run(${JSON.stringify(source)})`);
  } catch (error) {                   // the interpreter itself has ended, and cannot go on
    postMessage({ error: `\nPython itself has ended (${error.message || error}). It has been started again.\n` });
    start();
  }
  postMessage({ done: (performance.now() - began) / 1000 });
  if (python.exports.memory.buffer.byteLength > MEMORY) start();
}

let begun;
onmessage = async ({ data }) => {
  try {
    if (data.begin) {
      begun = (async () => {
        files = data.files;
        if (!files) {
          files = await load();
          postMessage({ files });
        }
        start();
        postMessage({ ready: true });
      })();
    }
    await begun;
    if ("run" in data) run(data.run);
  } catch (error) {
    postMessage({ failed: error.message || String(error) });
  }
};
