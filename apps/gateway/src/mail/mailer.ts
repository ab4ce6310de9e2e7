import { connect, isIP, type Socket } from 'node:net';
import { abortable } from '@turnpike/process/abortable';
import { within } from '@turnpike/process/within';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';

export interface MailSettings {
  host: string;
  port: number;
  /** TLS from the first byte. Otherwise STARTTLS, where the server offers it. */
  secure: boolean;
  auth?: { user: string; pass: string };
  from: string;
}

export interface MailText {
  subject: string;
  text: string;
}

export interface Mail extends MailText {
  to: string;
  /** The same for every attempt, so that receivers can tell a repeated e-mail. */
  id: string;
}

/** How long the server may take for one e-mail, however slowly it answers. */
const sendMs = 30_000;
const maxReplyBytes = 64 * 1024;
const maxReasonLength = 200;

/** An e-mail that the server did not take. The message is for a person, and has no secret. */
export class MailError extends Error {
  /** The server refuses the recipient, so there is no point in trying again. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.name = 'MailError';
    this.isFinal = isFinal;
  }
}

/** Sends e-mails over the operator's SMTP server, each over a connection of its own that ends with it. */
export class Mailer {
  readonly #settings: MailSettings;
  readonly #timeoutMs: number;

  constructor(settings: MailSettings, timeoutMs = sendMs) {
    this.#settings = settings;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves when the server has taken the e-mail. Rejects with a `MailError`. */
  async send({ to, id, subject, text }: Mail, stop: AbortSignal): Promise<void> {
    const { from, host, port } = this.#settings;
    using bounds = within(this.#timeoutMs, stop);
    const sockets: Socket[] = [];
    const transport = createTransport(this.#options(sockets));
    const message = {
      from,
      // As an object: the address is not parsed, so it cannot be a list.
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${domainOf(from)}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    try {
      await abortable(transport.sendMail(message), bounds.signal);
    } catch (error) {
      throw bounds.isLate
        ? new MailError(
            `${host}:${port} did not take the e-mail within ${this.#timeoutMs / 1000} seconds`,
            false,
          )
        : new MailError(reasonOf(error), isRefusedRecipient(error));
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }

  #options(sockets: Socket[]): SMTPTransportOptions {
    const { host, port, secure, auth } = this.#settings;
    return {
      host,
      port,
      secure,
      // A password is sent to another machine only inside TLS, also when somebody in between hides STARTTLS.
      ...(auth && { auth, requireTLS: !secure && !isLoopback(host) }),
      maxResponseSize: maxReplyBytes,
      connectionTimeout: this.#timeoutMs,
      greetingTimeout: this.#timeoutMs,
      socketTimeout: this.#timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      // A socket of ours, so that a server that answers a little now and then can be cut off.
      getSocket: (_options, callback) => {
        const socket = connect(port, host);
        sockets.push(socket);
        socket.on('error', () => {}); // Whoever uses it hears of it as well.
        socket.once('error', callback);
        socket.once('connect', () => {
          socket.off('error', callback);
          callback(null, { connection: socket });
        });
      },
    };
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** `Turnpike <no-reply@example.com>` or only the address. */
const domainOf = (from: string): string => from.trimEnd().replace(/>$/, '').split('@').at(-1) ?? 'localhost';

function isRefusedRecipient(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return code === 'EENVELOPE' && responseCode >= 500;
}

/** The reason in one short line: part of it may be the server's own words. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, maxReasonLength);
}
