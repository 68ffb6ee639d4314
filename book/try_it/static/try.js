/* The page that runs Python. Python itself is in a Web Worker, worker.js, so that the page never waits.

   To the worker: {begin, files} makes an interpreter, {run: program} runs a program.
   From the worker: {loaded: bytes}, {files} for the next worker, {ready}, {text} and {error} of the program, {cut: limit}
   if there was too much of it, {done: seconds}, and {failed: message} if there is no interpreter. */
(() => {
  const box = document.getElementById("try-it");
  const part = name => box.querySelector(`[data-part="${name}"]`);
  const [choice, editor, runs, stops, resets, status, output] =
    ["examples", "editor", "run", "stop", "reset", "status", "output"].map(part);
  const { examples, megabytes } = JSON.parse(part("data").textContent);
  const here = new URL(".", document.currentScript.src);
  const edited = examples.map(example => example.code);

  // The smallest module with a try_table, which is how this Python raises exceptions.
  const SAMPLE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 31, 64, 0, 11, 11];
  const OLD = "Your browser is too old for this page. It needs Chrome or Edge 137, Firefox 131, Safari 18.4, or newer.";
  const FILE = "This page was opened as a file, and browsers run no Python from files. Serve the folder of the book: "
    + "run “python3 -m http.server” in it, and open the address that it prints.";

  let worker, files, running = false, ready = false, clock, began;

  function trouble() {
    if (location.protocol === "file:") return FILE;
    const known = typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array(SAMPLE));
    return known && window.Worker && window.DecompressionStream ? "" : OLD;
  }

  /* The output is shown a few times a second, however often the program prints. */
  let pending = [], timer;
  function show(kind, text) {
    if (pending.length && pending.at(-1)[0] === kind) pending.at(-1)[1] += text;
    else pending.push([kind, text]);
    timer ??= setTimeout(flush, 50);
  }
  function flush() {
    clearTimeout(timer);
    timer = undefined;
    for (const [kind, text] of pending) {
      const piece = document.createElement("span");
      piece.className = `try-${kind}`;
      piece.textContent = text;
      output.append(piece);
    }
    pending = [];
  }

  function say(text) {
    if (status.textContent !== text) status.textContent = text;
  }
  function buttons() {
    runs.disabled = running;
    stops.disabled = !running;
  }

  function begin() {
    ready = false;
    const mine = worker = new Worker(new URL("worker.js", here), { type: "module" });
    worker.onmessage = ({ data }) => mine === worker && hear(data);   // not from one that was stopped
    worker.onerror = event => mine === worker && fail(event.message || "its script could not be loaded");
    worker.postMessage({ begin: true, files });
  }
  function end() {
    worker.terminate();
    worker = undefined;
    finish();
  }
  function finish() {
    clearInterval(clock);
    running = false;
    flush();
    buttons();
  }
  function fail(message) {
    end();
    say(`Python could not be started: ${message}. Run tries again.`);
  }

  function hear(data) {
    if (data.loaded) say(`Loading Python: ${Math.min(data.loaded / 1e6, megabytes).toFixed(0)} of ${megabytes} MB`);
    if (data.files) {
      files = data.files;
      if (running) say("Starting Python");
    }
    if (data.ready) {
      ready = true;
      if (running) tick();
      else say("Ready");
    }
    if (data.text) show("text", data.text);
    if (data.error) show("error", data.error);
    if (data.cut) show("error", `\n[The output is cut after ${data.cut} characters. The program runs on.]\n`);
    if ("done" in data) {
      finish();
      if (!output.textContent) output.textContent = "(The program printed nothing.)";
      say(`Done in ${data.done.toFixed(2)} seconds`);
    }
    if (data.failed) fail(data.failed);
  }

  function tick() {
    began = performance.now();
    const seconds = () => say(`Running, ${Math.round((performance.now() - began) / 1000)} seconds`);
    say("Running");
    clock = setInterval(seconds, 5000);
  }
  function run() {
    if (running || runs.disabled) return;
    output.textContent = "";
    running = true;
    buttons();
    if (!worker) {
      say(files ? "Starting Python" : `Loading Python: 0 of ${megabytes} MB`);
      begin();
    } else if (ready) tick();
    worker.postMessage({ run: editor.value });
  }
  function stop() {
    if (!running) return;
    end();
    show("error", "\n[Stopped.]\n");
    flush();
    say("Stopped");
    if (files) begin();               // so that the next run need not wait
  }

  function choose() {
    editor.value = edited[choice.selectedIndex];
  }

  choice.replaceChildren(...examples.map(example => new Option(example.title)));
  choose();
  choice.addEventListener("change", choose);
  editor.addEventListener("input", () => { edited[choice.selectedIndex] = editor.value; });
  editor.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  resets.addEventListener("click", () => {
    edited[choice.selectedIndex] = examples[choice.selectedIndex].code;
    choose();
  });
  runs.addEventListener("click", run);
  stops.addEventListener("click", stop);
  box.hidden = false;
  document.getElementById("try-without").hidden = true;
  const problem = trouble();
  if (problem) say(problem);
  else {
    buttons();
    say(`The first run loads ${megabytes} MB.`);
  }
})();
