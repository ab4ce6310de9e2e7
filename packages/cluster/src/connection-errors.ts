/** Explains why a private connection failed, and names the setting to change. Node's own messages do not. */

interface ConnectionError extends Error {
  /** A number for a DOMException, when the call was cancelled. */
  code?: string | number;
  reason?: string;
}

/** Explains an error of the caller. */
export function explainCallError(error: ConnectionError, { protocol }: URL): string {
  const { message } = error;
  const code = String(error.code);
  if (message.includes('wrong version number'))
    return 'it does not speak TLS. Give it certificates too, or call it by http://';
  if (wrongAuthority.has(code))
    return `its certificate is not of the authority in TURNPIKE_CLUSTER_TLS_CA (${message})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name: ${error.reason ?? message}`;
  if (code.startsWith('ERR_SSL_')) return `it refuses the TLS connection: ${error.reason ?? message}`;
  // A server that refuses the first bytes of a connection sends no reason.
  if (code === 'ECONNRESET' && protocol === 'https:')
    return `${message}; if it refuses our certificate, its log says so`;
  if (code === 'ECONNRESET') return `${message}; if it speaks TLS, call it by https://`;
  return message;
}

/** Explains an error of the server. Returns undefined for port scans and disconnects. */
export function explainServerError(
  error: ConnectionError,
  authorizationError?: string | Error,
): string | undefined {
  if (authorizationError)
    return `its certificate is not of the authority in TURNPIKE_CLUSTER_TLS_CA, or not valid now (${String(authorizationError)})`;
  const code = String(error.code);
  if (code === 'ERR_SSL_HTTP_REQUEST') return 'it was not TLS';
  return code.startsWith('ERR_SSL_') ? (error.reason ?? error.message) : undefined;
}

const wrongAuthority = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);
