// ap_loss in JavaScript: reads instances as JSON lines, writes answers as JSON lines.
//
//     python -m reference.check --command "node program.js"
//
// With the argument "wrong", a positive counts itself among the samples before it.

const readline = require("readline");

const wrong = process.argv[2] === "wrong";
const write = (line) => process.stdout.write(JSON.stringify(line) + "\n");

function apLoss(ranks, nPositive) {
  const inRange = (r) => Number.isInteger(r) && r >= 1 && r <= nPositive + 1;
  if (!Number.isInteger(nPositive) || nPositive < 1 || ranks.length < 1 || !ranks.every(inRange)) {
    throw new RangeError("interleaving must hold ranks from 1 to n_positive + 1");
  }
  let precision = 0;
  for (let i = 1; i <= nPositive; i++) {
    const negativesBefore = ranks.filter((r) => r <= i).length;
    precision += (wrong ? i + 1 : i) / (i + negativesBefore + (wrong ? 1 : 0));
  }
  return 1 - precision / nPositive;
}

write({ functions: ["ap_loss"] });
readline.createInterface({ input: process.stdin }).on("line", (text) => {
  const { id, arguments: given } = JSON.parse(text);
  try {
    const { dtype, shape, data } = given.interleaving;
    if (shape.length !== 1 || !/^u?int/.test(dtype)) throw new RangeError("interleaving must hold integers");
    write({ id, answer: apLoss(data, given.n_positive) });
  } catch (error) {
    write({ id, error: error.message });
  }
});
