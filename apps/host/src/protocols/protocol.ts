import type { IncomingMessage } from 'node:http';
import type { Answer } from '../relay/answers.ts';
import type { Program } from './program.ts';

/** The worker that serves a request. */
export interface ChosenProgram {
  /** Requests with the same name share one worker. */
  name: string;
  program: Program;
  /** What the program is told when it starts. */
  options: Record<string, string>;
}

/** Chooses the worker for a client's request, or answers the request. */
export type Protocol = (request: Pick<IncomingMessage, 'headers'>) => ChosenProgram | Answer;
