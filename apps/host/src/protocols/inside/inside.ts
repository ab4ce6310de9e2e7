import type { Socket } from 'node:net';

/** What the boot program gives a protocol's program. Both run inside the session's sandbox. */
export interface Inside {
  /** What the host knows and the program needs: see each program. */
  readonly options: Readonly<Record<string, string>>;
  /** The URL of the session's forwarder, which is the only way to the network. It is an HTTP proxy. */
  readonly forwarder: string;
  /**
   * Called with each connection of a client. It begins with an HTTP request for the program to read. Whoever is on the
   * other side is the session's own client: the host has checked the session's secret.
   */
  onClient(listener: (socket: Socket) => void): void;
  /**
   * Opens a connection to what Chromium serves at its DevTools port: `/json/version`, `/json/list` and WebSockets at
   * `/devtools/browser` and `/devtools/page/<target id>`.
   */
  connectDevTools(): Promise<Socket>;
}

/** The default export of a protocol's program. The host connects clients when it has resolved. */
export type Serve = (inside: Inside) => Promise<void>;
