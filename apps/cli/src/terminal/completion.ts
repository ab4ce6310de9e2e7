import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What may follow a command. */
interface Place {
  /** `stats summary`; empty for `turnpike` itself. */
  path: string;
  words: { word: string; description: string }[];
  /** Words that may follow an option. */
  values: { option: string; choices: readonly string[] }[];
}

/** A shell's completion script, from the commands as they are registered. */
export function completionScript(program: Command, shell: Shell): string {
  return { bash, zsh, fish }[shell](places(program));
}

function places(command: Command, path: readonly string[] = []): Place[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const options = help.visibleOptions(command);
  const words = [
    ...subcommands.map((each) => ({ word: each.name(), description: each.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((word) => ({ word, description })),
    ),
    ...options.map(({ long, description }) => ({ word: long ?? '', description })),
  ];
  const values = options.flatMap(({ long, argChoices }) =>
    long && argChoices ? [{ option: long, choices: argChoices }] : [],
  );
  const own = { path: path.join(' '), words, values };
  return [own, ...subcommands.flatMap((each) => places(each, [...path, each.name()]))];
}

const steps = (all: readonly Place[]): string[] => all.map(({ path }) => path).filter((path) => path !== '');

function bash(all: readonly Place[]): string {
  const join = (words: readonly string[]) => words.join(' ');
  return `# turnpike completion bash > /etc/bash_completion.d/turnpike
_turnpike() {
  local at="" word words="" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${steps(all)
        .map((path) => `"${path}"`)
        .join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at $previous" in
${all.flatMap(({ path, values }) => values.map(({ option, choices }) => `    "${path} ${option}") words="${join(choices)}" ;;`)).join('\n')}
    *) case "$at" in
${all.map(({ path, words }) => `      "${path}") words="${join(words.map(({ word }) => word))}" ;;`).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _turnpike turnpike
`;
}

function zsh(all: readonly Place[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const entry = ({ word, description }: { word: string; description: string }) =>
    quote(`${word.replaceAll(':', '\\:')}:${description}`);
  return `#compdef turnpike
# turnpike completion zsh > "\${fpath[1]}/_turnpike"
_turnpike() {
  local at="" word
  local -a words_here
  for word in \${words[2,CURRENT-1]}; do
    case "\${at:+$at }$word" in
      ${steps(all)
        .map((path) => `"${path}"`)
        .join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${all.flatMap(({ path, values }) => values.map(({ option, choices }) => `    "${path} ${option}") compadd ${choices.join(' ')}; return ;;`)).join('\n')}
  esac
  case "$at" in
${all.map(({ path, words }) => `    "${path}") words_here=(${words.map(entry).join(' ')}) ;;`).join('\n')}
  esac
  _describe turnpike words_here || _files
}
if [ "$funcstack[1]" = "_turnpike" ]; then _turnpike "$@"; else compdef _turnpike turnpike; fi
`;
}

function fish(all: readonly Place[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = all.flatMap(({ path, words, values }) => {
    const here =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join('; and ');
    const deeper = steps(all)
      .filter((other) => other.startsWith(`${path} `))
      .map((other) => other.slice(path.length + 1));
    const condition =
      path !== '' && deeper.length > 0
        ? `${here}; and not __fish_seen_subcommand_from ${deeper.join(' ')}`
        : here;
    return words.map(({ word, description }) => {
      const choices = values.find(({ option }) => option === word)?.choices;
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c turnpike -n ${quote(condition)} ${what}${choices ? ` -x -a ${quote(choices.join(' '))}` : ''} -d ${quote(description)}`;
    });
  });
  return `# turnpike completion fish > ~/.config/fish/completions/turnpike.fish\n${lines.join('\n')}\n`;
}
