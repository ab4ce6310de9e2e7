/** `fail`: the service cannot work like this. `warn`: it works, but a person should know. */
export type Level = 'ok' | 'warn' | 'fail';

export interface Finding {
  level: Level;
  what: string;
  /** What to do about it; always there when it is not `ok`. */
  advice?: string;
}

export const ok = (what: string): Finding => ({ level: 'ok', what });
export const warn = (what: string, advice: string): Finding => ({ level: 'warn', what, advice });
export const fail = (what: string, advice: string): Finding => ({ level: 'fail', what, advice });
