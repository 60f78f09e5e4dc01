/**
 * The script of each shell. All of them hand the words up to the cursor to `thv __complete` and show what it prints, so that
 * what can be completed is known in one place: the command tree.
 */
import { BRAND } from "@toolhive/core/brand";

interface ScriptOptions {
  readonly hasDescriptions: boolean;
}

const NAME = BRAND.command;

/** @param shell One of the shells of `thv completion`. */
export function scriptFor(shell: string, { hasDescriptions }: ScriptOptions): string {
  const script = { bash, zsh, fish, powershell }[shell];
  if (!script) throw new Error(`there is no completion for "${shell}"`);
  return script(hasDescriptions);
}

/**
 * bash cuts words at "=" and ":" and replaces the last piece only; the script joins the pieces that are next to each other on the
 * line. Descriptions are shown when bash lists (COMP_TYPE 63) and never inserted.
 */
function bash(hasDescriptions: boolean): string {
  return `# Completion of ${NAME} for bash. Made by: ${NAME} completion bash
__${NAME}_complete() {
  local line="\${COMP_LINE:0:COMP_POINT}" words=() word trimmed piece index
  for ((index = 0; index <= COMP_CWORD; index++)); do
    trimmed="\${line#"\${line%%[![:space:]]*}"}"
    word="\${COMP_WORDS[index]}"
    ((index == COMP_CWORD)) && word="$trimmed"
    if ((index > 0)) && [[ -n "$line" && "$line" == "$trimmed" ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    line="\${trimmed#"$word"}"
  done
  local current="\${words[\${#words[@]}-1]}"
  piece="\${current##*[=:]}"
  local kept="\${current%"$piece"}"
  local reply
  reply="$("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)" || return
  COMPREPLY=()
  local candidates=() descriptions=() value description
  while IFS=$'\\t' read -r value description; do
    case "$value" in
      :file) compopt -o default 2>/dev/null ;;
      :directory) compopt -o dirnames 2>/dev/null ;;
      :*) ;;
      *)
        candidates+=("\${value#"$kept"}")
        descriptions+=("$description")
        ;;
    esac
  done <<<"$reply"
  for index in "\${!candidates[@]}"; do
    value="\${candidates[index]}"
    if ((${hasDescriptions ? 1 : 0})) && ((COMP_TYPE == 63)) && ((\${#candidates[@]} > 1)) && [[ -n "\${descriptions[index]}" ]]; then
      COMPREPLY+=("$(printf '%-30s (%s)' "$value" "\${descriptions[index]}")")
    else
      COMPREPLY+=("$(printf '%q' "$value")")
    fi
  done
  return 0
}
complete -F __${NAME}_complete ${NAME}
`;
}

function zsh(hasDescriptions: boolean): string {
  return `#compdef ${NAME}
# Completion of ${NAME} for zsh. Made by: ${NAME} completion zsh
_${NAME}() {
  local -a before lines candidates shown
  local reply line value description paths=none
  (( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
  reply="$("\${(Q)words[1]}" __complete -- "\${before[@]}" "\${(Q)PREFIX}" 2>/dev/null)" || return 1
  lines=("\${(@f)reply}")
  for line in "\${lines[@]}"; do
    value="\${line%%$'\\t'*}"
    description="\${\${line#"$value"}#$'\\t'}"
    case "$value" in
      :*) paths="\${value#:}" ;;
      *)
        candidates+=("$value")
        if (( ${hasDescriptions ? 1 : 0} )) && [[ -n "$description" ]]; then
          shown+=("\${(r:30:)value}  -- $description")
        else
          shown+=("$value")
        fi
        ;;
    esac
  done
  if [[ "$paths" != none ]]; then
    [[ "$PREFIX" == -*=* ]] && compset -P '*='
    if [[ "$paths" == directory ]]; then _files -/; else _files; fi
    return
  fi
  (( \${#candidates} )) || return 1
  compadd -l -d shown -a candidates
}
if [[ "\${funcstack[1]}" == "_${NAME}" ]]; then
  _${NAME} "$@"
else
  compdef _${NAME} ${NAME}
fi
`;
}

function fish(hasDescriptions: boolean): string {
  return `# Completion of ${NAME} for fish. Made by: ${NAME} completion fish
function __${NAME}_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l reply ($before[1] __complete -- $before[2..] "$current" 2>/dev/null)
    or return
    switch "$reply[1]"
        case :file
            __fish_complete_path (string replace -r -- '^-[^=]*=' '' "$current")
        case :directory
            __fish_complete_directories (string replace -r -- '^-[^=]*=' '' "$current")
    end
    for line in $reply[2..]
        ${hasDescriptions ? "echo $line" : `string split -f1 \\t -- $line`}
    end
end
complete -c ${NAME} -f -a '(__${NAME}_complete)'
`;
}

/** Windows PowerShell drops empty arguments, so a flag marks the empty word at the end. */
function powershell(hasDescriptions: boolean): string {
  return `# Completion of ${NAME} for PowerShell. Made by: ${NAME} completion powershell
Register-ArgumentCompleter -Native -CommandName '${NAME}' -ScriptBlock {
    param($word, $ast, $cursor)
    $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
    $words = @($before | Select-Object -Skip 1)
    if ("$word" -eq '') {
        $reply = & $before[0] __complete --then-empty -- @words 2>$null
    } else {
        $reply = & $before[0] __complete -- @words "$word" 2>$null
    }
    $reply | Select-Object -Skip 1 | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (${hasDescriptions ? "-not $description" : "$true"}) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`;
}
