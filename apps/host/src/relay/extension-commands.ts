/** Commands about extensions that the session has, which concern nobody else. */
const harmless = new Set([
  'Extensions.getExtensions',
  'Extensions.uninstall',
  'Extensions.triggerAction',
  'Extensions.getStorageItems',
  'Extensions.setStorageItems',
  'Extensions.removeStorageItems',
  'Extensions.clearStorageItems',
]);

/** Says why a client's command about extensions is not carried out; undefined if it is. */
export function extensionRefusal(method: string, mayLoad: boolean): string | undefined {
  if (harmless.has(method)) return undefined;
  if (method !== 'Extensions.loadUnpacked') return `'${method}' is not available`;
  if (mayLoad) return undefined;
  return `'${method}' is not available: the operator of this service allows some extensions only. Name those in the create parameter extensions.`;
}
