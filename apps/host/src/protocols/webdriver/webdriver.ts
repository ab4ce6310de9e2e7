import type { Program } from '../program.ts';
import type { ChosenProgram } from '../protocol.ts';

const program: Program = { modules: ['webdriver/inside-webdriver.ts'], packages: [] };

export function webdriver(): ChosenProgram {
  return { name: 'webdriver', program, options: {} };
}
