import type { Program } from '../program.ts';
import type { ChosenProgram } from '../protocol.ts';

const program: Program = { modules: ['bidi/inside-bidi.ts'], packages: [] };

export function bidi(): ChosenProgram {
  return { name: 'bidi', program, options: {} };
}
