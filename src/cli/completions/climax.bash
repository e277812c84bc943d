# bash splits words after '@' and at '=', where a completion is the part after it, and quotes nothing
_climax() {
  local word head found quoted index
  local -a words=()
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if ((${#words[@]})) && [[ $word == =* || ${words[${#words[@]}-1]} == *[=@] ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  word=${words[${#words[@]}-1]}
  head=
  [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && head=${word%=*}=
  COMPREPLY=()
  while IFS= read -r found; do
    printf -v quoted %q "${found#"$head"}"
    COMPREPLY+=("$quoted")
  done < <(climax completions -- "${words[@]}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _climax climax
