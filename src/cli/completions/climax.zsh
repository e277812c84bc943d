#compdef climax
_climax() {
  local -a found open
  found=("${(@f)$(climax completions -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] || { _files; return }
  open=("${(@M)found:#*=}")
  found=("${(@)found:#*=}")
  (( $#open )) && compadd -S '' -a open
  (( $#found )) && compadd -a found
}
if [[ $funcstack[1] == _climax ]]; then _climax "$@"; else compdef _climax climax; fi
