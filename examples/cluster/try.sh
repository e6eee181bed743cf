#!/usr/bin/env bash
# A release of generated people by the cluster that start.sh started: dask or spark.
set -euo pipefail
python="$(command -v "${PYTHON:-python3}")"
case "${1:-}" in
dask) engine=dask://127.0.0.1:8786 ;;
spark) engine=spark://127.0.0.1:7077 ;;
*)
  echo "usage: $0 dask|spark" >&2
  exit 2
  ;;
esac
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export PYSPARK_PYTHON="$python" PYSPARK_SUBMIT_ARGS="--driver-memory 512m --executor-memory 512m pyspark-shell"
"$python" -m microagg datasets census_like --records "${RECORDS:-20000}" -o "$folder/people.parquet"
"$python" -m microagg anonymize "$folder/people.parquet" -k 5 --quasi '*' --memory 50MB --engine "$engine" -o "$folder/released"
ls -l "$folder/released"
