#!/usr/bin/env bash
# A cluster of two workers on this machine, to try what runs on a real one: until Ctrl-C.
#
#   examples/cluster/start.sh dask     scheduler at tcp://127.0.0.1:8786
#   examples/cluster/start.sh spark    master at spark://127.0.0.1:7077 (needs Java 17)
#
# PYTHON names the interpreter that has microagg[dask] or microagg[spark]; MEMORY is what each worker may take.
set -euo pipefail
kind="${1:-}"
python="$(command -v "${PYTHON:-python3}")"
memory="${MEMORY:-1g}"
started=()
work="$(mktemp -d)"
trap 'kill "${started[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
trap 'exit 0' INT TERM
export OMP_NUM_THREADS=1 # one task, one thread: the engine spreads the tasks

start() {
  "$@" &
  started+=("$!")
}

case "$kind" in
dask)
  start "$python" -m distributed.cli.dask_scheduler --host 127.0.0.1 --port 8786 --no-dashboard
  for _ in 1 2; do
    start "$python" -m distributed.cli.dask_worker tcp://127.0.0.1:8786 --nworkers 1 --nthreads 1 \
      --memory-limit "${memory^^}B" --no-dashboard
  done
  ;;
spark)
  export SPARK_HOME PYSPARK_PYTHON="$python" SPARK_DAEMON_MEMORY=256m
  SPARK_HOME="$("$python" -c 'import pathlib, pyspark; print(pathlib.Path(pyspark.__file__).parent)')"
  start "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 7077 --webui-port 0
  for number in 1 2; do
    start "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --cores 1 \
      --memory "$memory" --webui-port 0 --work-dir "$work/$number" spark://127.0.0.1:7077
  done
  ;;
*)
  echo "usage: $0 dask|spark" >&2
  exit 2
  ;;
esac
wait
