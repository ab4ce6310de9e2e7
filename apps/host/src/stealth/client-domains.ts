type Domain = 'Page' | 'Console';

/** Events of the Page domain that a client gets without enabling it. */
const alwaysSent = new Set(['screencastFrame', 'screencastVisibilityChanged', 'fileChooserOpened']);

/** Which domains the client enabled, of those that the host enables too. */
export class ClientDomains {
  readonly #enabled = { Page: false, Console: false };

  set(domain: Domain, isEnabled: boolean): void {
    this.#enabled[domain] = isEnabled;
  }

  /** Whether the client would get events of this name without the host: it enabled their domain, or need not. */
  sends(domain: string, name: string): boolean {
    if (domain !== 'Page' && domain !== 'Console') return true;
    return this.#enabled[domain] || alwaysSent.has(name);
  }
}
