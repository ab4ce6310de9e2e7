import { expect, test } from 'vitest';
import { findAccessProblem } from './diagnosis.ts';

const status = (userId: number, capabilities: string) =>
  `Name:\tnode\nUid:\t${userId}\t${userId}\t${userId}\t${userId}\nCapEff:\t${capabilities}\n`;

test('a root without CAP_SYS_PTRACE is told that it needs it; an ordinary user owns what it opens', () => {
  expect(findAccessProblem(status(0, '000001ffffffffff'))).toBeUndefined();
  expect(findAccessProblem(status(0, '00000000010800e3'))).toBeUndefined();
  expect(findAccessProblem(status(0, '00000000010000e3'))?.advice).toContain('SYS_PTRACE');
  expect(findAccessProblem(status(1000, '0000000000000000'))).toBeUndefined();
});
