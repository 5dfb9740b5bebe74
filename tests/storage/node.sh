#!/bin/bash
# A node that shares no folder with others, as executors see it.
#   node.sh begin FOLDER RULE SCRIPT: runs a job in a new folder below FOLDER with a home of its own, and names the folder
#   node.sh state FOLDER: running, success or failed
set -eu
case $1 in
  begin)
    node=$(mktemp -d "$2/$3-XXXXXX")
    mkdir "$node/home" "$node/work" "$node/tmp"
    cp "$4" "$node/job.sh"
    # A session of its own, so that all of the job can be killed; what asks for files says for which rule
    HOME=$node/home TMPDIR=$node/tmp AWS_EXECUTION_ENV=$3 setsid "$0" run "$node" < /dev/null > "$node/log" 2>&1 &
    echo "$!" > "$node/process"
    echo "$node"
    ;;
  run)
    cd "$2/work"
    if bash "$2/job.sh"; then echo success; else echo failed; fi > "$2/ended.part"
    mv "$2/ended.part" "$2/ended"
    ;;
  state)
    running=$(kill -0 "$(cat "$2/process")" 2> /dev/null && echo running) || true
    # It may have ended since
    cat "$2/ended" 2> /dev/null || echo "${running:-failed}"
    ;;
esac
