import type { Program } from '../program.ts';
import type { ChosenProgram } from '../protocol.ts';

const program: Program = { modules: ['playwright/inside-playwright.ts'], packages: [] };

export function playwright(): ChosenProgram {
  return { name: 'playwright', program, options: {} };
}
