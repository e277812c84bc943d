function __climax_complete
  set -l found (climax completions -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c climax -f -a '(__climax_complete)'
