/** Returns the host of a URL for a resolver or socket: an IPv6 address without its brackets. */
export const urlHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
