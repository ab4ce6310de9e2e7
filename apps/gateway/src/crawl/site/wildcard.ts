/** A pattern for texts, which takes time in proportion to a text's length. */
export interface Wildcard {
  matches(text: string): boolean;
}

interface Stars {
  /** Stands for any characters, also none. */
  anything: string;
  /** The same but `/`; undefined if there is none. */
  withoutSlash?: string;
}

/** Compiles a pattern in which `*` stands for anything but `/`, and `**` for anything. */
export const compileGlob = (pattern: string): Wildcard =>
  compile(pattern, { anything: '**', withoutSlash: '*' });

/** Compiles a path of robots.txt (RFC 9309): it is a beginning, `*` stands for anything and a last `$` for the end. */
export function compileRobotsPath(path: string): Wildcard {
  const isWhole = path.endsWith('$');
  const pattern = isWhole ? path.slice(0, -1) : path;
  if (!isWhole && !pattern.includes('*')) return { matches: (text) => text.startsWith(pattern) };
  return compile(isWhole ? pattern : `${pattern}*`, { anything: '*' });
}

/**
 * Matches all ways through a pattern at once, as bits: bit `i` is set if the first `i` characters of the pattern have been
 * matched. A star keeps its bit set. There are as many steps as the text has characters, whatever both are.
 */
function compile(pattern: string, { anything, withoutSlash }: Stars): Wildcard {
  const literals: string[] = [];
  const kept = { always: [] as number[], butSlash: [] as number[] };
  for (let at = 0; at < pattern.length; ) {
    if (pattern.startsWith(anything, at)) {
      kept.always.push(literals.length);
      at += anything.length;
    } else if (withoutSlash !== undefined && pattern.startsWith(withoutSlash, at)) {
      kept.butSlash.push(literals.length);
      at += withoutSlash.length;
    } else literals.push(pattern.charAt(at++));
  }
  const words = Math.ceil((literals.length + 1) / 32);
  const bits = (positions: Iterable<number>): Uint32Array => {
    const set = new Uint32Array(words);
    for (const position of positions) setBit(set, position);
    return set;
  };
  const always = bits(kept.always);
  const butSlash = bits([...kept.always, ...kept.butSlash]);
  const advance = new Map<string, Uint32Array>();
  for (const [position, literal] of literals.entries()) {
    const set = advance.get(literal) ?? new Uint32Array(words);
    setBit(set, position);
    advance.set(literal, set);
  }
  const none = new Uint32Array(words);
  const prefix = pattern.slice(0, starAt(pattern));

  return {
    matches(text) {
      if (!text.startsWith(prefix)) return false;
      const state = bits([0]);
      for (let at = 0; at < text.length; at++) {
        const character = text.charAt(at);
        const moved = advance.get(character) ?? none;
        const stays = character === '/' ? always : butSlash;
        let carry = 0;
        for (let word = 0; word < words; word++) {
          const now = state[word] ?? 0;
          const next = now & (moved[word] ?? 0);
          state[word] = (next << 1) | carry | (now & (stays[word] ?? 0));
          carry = next >>> 31;
        }
      }
      return ((state[words - 1] ?? 0) & (1 << (literals.length % 32))) !== 0;
    },
  };
}

function starAt(pattern: string): number {
  const at = pattern.indexOf('*');
  return at === -1 ? pattern.length : at;
}

function setBit(set: Uint32Array, position: number): void {
  const word = position >>> 5;
  set[word] = (set[word] ?? 0) | (1 << (position & 31));
}
