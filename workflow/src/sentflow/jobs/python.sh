# Read by the shell of every job, before its command. Linux starts no program with an argument of more than 128 KiB, nor with more than some
# MB of them all together. Functions and built-ins of the shell have no such limit: the words of a long command reach Python through a pipe,
# where sentflow.jobs.job reads them.

python() {
  local words="$*"
  if ((${#words} < 30000)); then # characters, of at most four bytes
    command python "$@"
  else # -m MODULE, and the words for it
    command python "$1" "$2" @<(printf '%s\0' "${@:3}")
  fi
}
