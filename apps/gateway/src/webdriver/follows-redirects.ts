/**
 * Clients that repeat a command with its body where a redirect (307) leads. What others send passes through the gateway,
 * for they would take the redirect for an answer, or send a GET.
 */
const followers = /^(?:selenium\/\S+ \((?:python|java|\.net)\b|webdriver(?:io)?\/|undici|node\b)/i;

export const followsRedirects = (userAgent: string | undefined): boolean => followers.test(userAgent ?? '');
