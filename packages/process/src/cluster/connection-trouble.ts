/** Words for a person on why a private connection was not made: Node's own name no setting, or nothing at all. */

interface Trouble extends Error {
  /** A number, where it is a DOMException: a call that was given up. */
  code?: string | number;
  reason?: string;
}

/** Of whoever called. */
export function callerTrouble(error: Trouble, { protocol }: URL): string {
  const { message } = error;
  const code = String(error.code);
  if (message.includes('wrong version number'))
    return 'it does not speak TLS; give it certificates too, or call it by http://';
  if (notOfTheAuthority.has(code))
    return `its certificate is not of the authority in TURNPIKE_CLUSTER_TLS_CA (${message})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name: ${error.reason ?? message}`;
  if (code.startsWith('ERR_SSL_')) return `it refuses TLS with us: ${error.reason ?? message}`;
  // A server that does not take what a connection began with says nothing about it.
  if (code === 'ECONNRESET' && protocol === 'https:')
    return `${message}; if it refuses our certificate, its log says so`;
  if (code === 'ECONNRESET') return `${message}; if it speaks TLS, call it by https://`;
  return message;
}

/** Of whoever was called. Undefined: someone looked whether the port is open, or hung up. */
export function serverTrouble(error: Trouble, authorizationError?: string | Error): string | undefined {
  if (authorizationError)
    return `its certificate is not of the authority in TURNPIKE_CLUSTER_TLS_CA, or not valid now (${String(authorizationError)})`;
  const code = String(error.code);
  if (code === 'ERR_SSL_HTTP_REQUEST') return 'it was not TLS';
  return code.startsWith('ERR_SSL_') ? (error.reason ?? error.message) : undefined;
}

const notOfTheAuthority = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);
