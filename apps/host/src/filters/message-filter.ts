/** What becomes of a message: undefined passes it on as it is, a buffer takes its place, and null drops it. */
export type Replacement = Buffer | null | undefined;

/** A client, as filters know it. */
export interface FilteredClient {
  readonly clientId: number;
  /** The CDP session that the connection stands for. */
  readonly rootCdpSessionId: string;
  /** Sends a message to the client. */
  deliver(cdpSessionId: string, bytes: Buffer, start: number, end: number): void;
  /** Shows the host a message of the client, which is not read from until the host has handled it. */
  showHost(cdpSessionId: string | undefined, bytes: Buffer, start: number, end: number): void;
  /** Closes the client: its session may not hold more. */
  refuseForRoom(): void;
}

/**
 * Looks at the messages between a browser and its clients, each of which is the bytes from start to end. There is one of
 * a kind for each browser; `switchboard/filter-chain.ts` has their order.
 */
export interface MessageFilter {
  /**
   * Takes a message to a CDP session of the client; undefined means to its connection, or to none that it has. A
   * message that is to `wait` comes again when its client reads on, and before what the client sends after it.
   */
  fromClient(
    client: FilteredClient,
    cdpSessionId: string | undefined,
    bytes: Buffer,
    start: number,
    end: number,
  ): Replacement | 'wait';
  /** Takes a message to a client. */
  fromBrowser(
    client: FilteredClient,
    cdpSessionId: string,
    bytes: Buffer,
    start: number,
    end: number,
  ): Replacement;
  /** Forgets a CDP session that has ended. */
  detached?(cdpSessionId: string): void;
}

/** Sends messages of a filter's own, which meet only the filters that are left on their way. */
export interface FilterWire {
  toBrowser(client: FilteredClient, cdpSessionId: string, message: string): void;
  toClient(client: FilteredClient, cdpSessionId: string, message: string): void;
}
