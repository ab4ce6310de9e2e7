import { pino } from 'pino';
import { Controller } from '../chromium/controller.ts';
import type { AttachedTarget } from '../switchboard/targets.ts';
import { Targets } from '../targets/targets.ts';

interface SentCommand {
  id: number;
  method: string;
  params: object;
  sessionId?: string;
}

interface ScriptedTarget {
  targetId: string;
  type?: string;
  /** Default: the same as its target, with an `S`. */
  sessionId?: string;
  parent?: string;
  isStopped?: boolean;
  openerId?: string;
  browserContextId?: string;
}

/** For tests only: the browser's end of a DevTools pipe. It answers every call, and says what a test has it say. */
export class ScriptedBrowser {
  readonly sent: SentCommand[] = [];
  readonly controller: Controller;
  readonly targets: Targets;

  constructor() {
    this.controller = new Controller({ send: (text) => this.#take(JSON.parse(text) as SentCommand) });
    this.targets = new Targets(this.controller, pino({ level: 'silent' }));
    void this.targets.start(new AbortController().signal);
  }

  say(method: string, params: object, sessionId?: string): void {
    this.controller.receive(JSON.stringify({ method, params, sessionId }));
  }

  /** Announces a target to the host. */
  attach(target: ScriptedTarget): void {
    this.say('Target.attachedToTarget', attachedTarget(target), target.parent);
  }

  detach(sessionId: string): void {
    this.say('Target.detachedFromTarget', { sessionId });
  }

  /** The methods that a CDP session was sent. */
  methodsOf(sessionId: string | undefined): string[] {
    return this.sent.filter((command) => command.sessionId === sessionId).map(({ method }) => method);
  }

  /** The CDP sessions that were told to run, in order. */
  get resumed(): (string | undefined)[] {
    return this.sent
      .filter(({ method }) => method === 'Runtime.runIfWaitingForDebugger')
      .map(({ sessionId }) => sessionId);
  }

  #take(command: SentCommand): void {
    this.sent.push(command);
    const { id, sessionId } = command;
    queueMicrotask(() => this.controller.receive(JSON.stringify({ id, result: {}, sessionId })));
  }
}

/** The parameters of `Target.attachedToTarget`. */
export function attachedTarget({
  targetId,
  type = 'page',
  sessionId = `S${targetId}`,
  isStopped = true,
  ...info
}: ScriptedTarget): AttachedTarget {
  const { openerId, browserContextId } = info;
  return {
    sessionId,
    waitingForDebugger: isStopped,
    targetInfo: {
      targetId,
      type,
      title: '',
      url: 'about:blank',
      ...(openerId !== undefined && { openerId }),
      ...(browserContextId !== undefined && { browserContextId }),
    },
  };
}
