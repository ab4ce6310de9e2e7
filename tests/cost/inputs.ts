import type { Reader } from './reader.ts';

/** An input of about any size. */
export interface Input {
  name: string;
  make(size: number): string;
}

/** Characters that most readers treat in a special way, or that they pass over in a loop. */
const common = ['a', '0', ' ', '\t', '\n', '\r\n', '"', '\\', '%', ',', '\0', 'é'];
/** Ends a run in a way that few accept, so that all of it is tried again where a reader tries again. */
const unwanted = '\x01';
const pairs = [
  ['{"a":', '}'],
  ['[', ']'],
  ['(', ')'],
  ['<a>', '</a>'],
] as const;

/** Makes the inputs of a reader: runs, runs of two in turn, escaped and nested ones, of each token that it looks for. */
export function inputsFor({ tokens, around = [['', '']] }: Reader): Input[] {
  const runs = [
    ...[...common, ...tokens].map(run),
    ...tokens.flatMap((token, i) => [
      run(`${token}a`),
      run(`${token} `),
      run(`\\${token}`),
      run(`${token}${tokens[(i + 1) % tokens.length]}`),
      started(token, 'a'),
      started(token, ' '),
    ]),
    ...pairs.map(nested),
  ];
  const unique = [...new Map(runs.map((input) => [input.name, input])).values()];
  return around.flatMap(([before, after]) =>
    unique.map(({ name, make }) => ({
      name: `${shown(before)}${name}${shown(after)}`,
      make: (size) => `${before}${make(size)}${after}`,
    })),
  );
}

const run = (token: string): Input => ({
  name: `${shown(token)} again and again`,
  make: (size) => `${repeated(token, size)}${unwanted}`,
});

const started = (token: string, filler: string): Input => ({
  name: `${shown(token)} and a run of ${shown(filler)}`,
  make: (size) => `${token}${repeated(filler, size)}${unwanted}`,
});

const nested = ([open, close]: readonly [string, string]): Input => ({
  name: `nested ${open}${close}`,
  make: (size) => `${repeated(open, size / 2)}${repeated(close, size / 2)}`,
});

const repeated = (token: string, size: number): string => token.repeat(Math.ceil(size / token.length));

const shown = (text: string): string => (text === '' ? '' : JSON.stringify(text.slice(0, 40)));
