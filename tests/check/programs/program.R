# topk_error in R: reads instances as JSON lines, writes answers as JSON lines. It needs the package jsonlite.
#
#     python -m reference.check --command "Rscript program.R"
#
# With the argument "wrong", a tie counts for the example.

library(jsonlite)

wrong <- identical(commandArgs(trailingOnly = TRUE)[1], "wrong")
say <- function(line) {
  cat(toJSON(line, auto_unbox = TRUE, digits = NA), "\n", sep = "")
  flush(stdout())
}

topk_error <- function(scores, y, k) {
  shape <- unlist(scores$shape)
  values <- suppressWarnings(as.numeric(unlist(scores$data)))
  labels <- suppressWarnings(as.numeric(unlist(y$data)))
  stopifnot(
    "scores must be a finite matrix" = length(shape) == 2 && length(values) > 0 && all(is.finite(values)),
    "y must hold one class for each row" = length(unlist(y$shape)) == 1 && length(labels) == shape[1],
    "y must hold classes" = grepl("^u?int", y$dtype) && all(labels >= 0 & labels < shape[2]),
    "k must be an integer from 1 to the number of classes" =
      is.numeric(k) && is.finite(k) && k == floor(k) && k >= 1 && k <= shape[2]
  )
  rows <- matrix(values, shape[1], shape[2], byrow = TRUE)
  sapply(seq_len(shape[1]), function(i) {
    rivals <- rows[i, -(labels[i] + 1)]
    own <- rows[i, labels[i] + 1]
    before <- if (wrong) sum(rivals > own) else sum(rivals >= own)
    as.numeric(before >= k)
  })
}

say(list(functions = I("topk_error")))
input <- file("stdin", "r")
while (length(text <- readLines(input, n = 1)) > 0) {
  line <- fromJSON(text, simplifyVector = FALSE)
  given <- line$arguments
  say(tryCatch(
    list(id = line$id, answer = I(topk_error(given$scores, given$y, if (is.null(given$k)) 1 else given$k))),
    error = function(trouble) list(id = line$id, error = conditionMessage(trouble))
  ))
}
