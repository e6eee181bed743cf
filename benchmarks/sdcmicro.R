# One measurement of sdcMicro's MDAV, started by bench.py: Rscript sdcmicro.R X.csv k released.csv
# Run with R 4.2 and a stand-in of sdcMicro that has the same call; sdcMicro itself was not to be had where this was written.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(sdcMicro))
x <- read.csv(arguments[1], header = FALSE)
k <- as.integer(arguments[2])
peak_bytes <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}
before <- peak_bytes()
seconds <- system.time(result <- microaggregation(x, method = "mdav", aggr = k))[["elapsed"]]
peak <- peak_bytes()
write.table(result$mx, arguments[3], sep = ",", row.names = FALSE, col.names = FALSE)
cat(sprintf('{"seconds": %.6f, "runs": 1, "peak_bytes": %.0f, "before_bytes": %.0f}\n', seconds, peak, before))
