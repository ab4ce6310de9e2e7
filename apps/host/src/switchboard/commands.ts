import { HiddenScriptFilter, type ScriptIdentity } from '../filters/hidden-scripts.ts';
import { MessageTap } from '../filters/message-tap.ts';
import { StealthSessions } from '../stealth/stealth-sessions.ts';
import type { BrowserPipe } from './browser-pipe.ts';
import type { ClientSocket } from './client/client-socket.ts';
import { asBuffer } from './reports.ts';

type Table<Subject> = Readonly<Record<string, (subject: Subject, parameters: never) => void>>;

/** What the host asks of one browser's pipe, and how that is carried out. */
export const pipeCommands = {
  /** Sends a whole message to the browser. With `session`, its id is added in place of the brace at `end`. */
  send: (
    pipe,
    { message, session }: { message: string | Uint8Array; session?: { id: string; end: number } },
  ) => {
    const bytes = typeof message === 'string' ? Buffer.from(message) : asBuffer(message);
    if (session) pipe.sendTo(session.id, bytes, session.end);
    else pipe.send(bytes, 0, bytes.length);
  },
  /** Says that the host has handled so many characters of the browser's messages. */
  handled: (pipe, { characters }: { characters: number }) => pipe.handled(characters),
  /** Ignores what clients send from now on. */
  mute: (pipe) => pipe.mute(),
  /** Lets clients send to the CDP session: it has been told what it must know first. */
  release: (pipe, { cdpSessionId }: { cdpSessionId: string }) => pipe.release(cdpSessionId),
  /** Hides these scripts from the client that has the CDP session. */
  hideScripts: (
    pipe,
    { cdpSessionId, scripts }: { cdpSessionId: string; scripts: readonly ScriptIdentity[] },
  ) => {
    if (!pipe.hasOwner(cdpSessionId)) return;
    pipe.filters.use('hiddenScripts', () => new HiddenScriptFilter()).hide(cdpSessionId, scripts);
  },
  /** Hides clients from pages. Sent before there are clients. */
  hideClients: ({ filters, budget }) =>
    void filters.use('stealth', (wire) => new StealthSessions(budget.share(), wire)),
  /** Reports clients' commands and their answers. Sent before there are clients. */
  tap: (pipe) =>
    void pipe.filters.use('tap', () => new MessageTap((message) => pipe.reports.addTapped(message))),
  /** Lets what clients send wait, or passes it on. */
  pauseClients: (pipe, { isPaused }: { isPaused: boolean }) => pipe.pauseClients(isPaused),
  /** Has the next message of a client reported, because the browser sleeps. First sent before there are clients. */
  standby: (pipe, { isAsleep }: { isAsleep: boolean }) => pipe.standby(isAsleep),
  /** A command of a client has had its answer from the host. Only in a session with `standby`. */
  answered: (pipe, { cdpSessionId }: { cdpSessionId: string }) => pipe.answered(cdpSessionId),
  closePipe: (pipe) => pipe.end(),
} as const satisfies Table<BrowserPipe>;

/** What the host asks of one client's socket, and how that is carried out. */
export const clientCommands = {
  /** Says that the host has handled what was reported. */
  handled: (client) => client.handled(),
  /** Sends a message of the client to a CDP session that it has. */
  pass: (client, { message, cdpSessionId }: { message: Uint8Array; cdpSessionId: string }) =>
    client.pass(asBuffer(message), cdpSessionId),
  write: (client, { bytes }: { bytes: Uint8Array }) => client.write(asBuffer(bytes)),
  /** Ends the writing side after what waits to be written. */
  endWriting: (client) => client.endWriting(),
  closeClient: (client) => client.close(),
} as const satisfies Table<ClientSocket>;

type CommandsOf<T, To> = {
  [Type in keyof T]: { type: Type } & To & ParametersOf<T[Type]>;
}[keyof T];
type ParametersOf<Row> = Row extends (subject: never, parameters: infer P) => void ? P : never;

export type PipeCommand = CommandsOf<typeof pipeCommands, { pipeId: number }>;
export type ClientCommand = CommandsOf<typeof clientCommands, { clientId: number }>;
export type Command = PipeCommand | ClientCommand;
