/** The host of a URL as a resolver and a socket take it: an IPv6 address without its brackets. */
export const urlHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
