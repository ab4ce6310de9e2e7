/** Words that say that a value is a secret, or too personal to keep. */
const words = new Set(
  `pass pw pwd psw passwd passcode passphrase secret token auth oauth authorization authentication credential
  credentials session sess sid ssid sessid apikey key accesskey privatekey signature sig sign signed jwt bearer otp totp
  pin csrf xsrf nonce code ticket assertion saml samlresponse samlrequest cvv cvc card cardnumber iban ssn cookie`.split(
    /\s+/,
  ),
);
const parts =
  /passw|passphrase|secret|token|credential|api-?_?key|session|signature|authoriz|authentic|cookie|jwt/;

/** Longer names tell by their start. */
const maxNameLength = 200;
/** Short names, and whether they tell. Longer ones would keep the texts in memory that they are part of. */
const known = new Map<string, boolean>();
const maxKnown = 4096;
const maxKnownLength = 12;

/** Whether the name of a field, header or parameter says that its value is secret. */
export function isTelling(name: string): boolean {
  if (name.length > maxKnownLength) return tells(name.slice(0, maxNameLength));
  const before = known.get(name);
  if (before !== undefined) return before;
  const isSo = tells(name);
  if (known.size >= maxKnown) known.clear();
  known.set(name, isSo);
  return isSo;
}

function tells(name: string): boolean {
  const lower = name.toLowerCase();
  if (parts.test(lower)) return true;
  // A word ends where letters end, and before a capital that does not follow one.
  let from = 0;
  for (let at = 0; at <= name.length; at++) {
    if (isLetter(lower.charCodeAt(at)) && !(isCapital(name, at) && at > from && !isCapital(name, at - 1)))
      continue;
    if (at > from && words.has(lower.slice(from, at))) return true;
    from = isLetter(lower.charCodeAt(at)) ? at : at + 1;
  }
  return false;
}

const isLetter = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isCapital = (name: string, at: number): boolean => {
  const code = name.charCodeAt(at);
  return code >= 0x41 && code <= 0x5a;
};

const letterOrDash = /^[a-z-]+$/;
const path = /^[a-z/-]*$/;
const scheme = /^[a-z]+$/;

/** Whether it is a host name of letters, with or without a scheme and a path. */
function isUrlLike(value: string): boolean {
  const schemeEnd = value.indexOf('://');
  if (schemeEnd >= 0 && !scheme.test(value.slice(0, schemeEnd))) return false;
  const rest = schemeEnd >= 0 ? value.slice(schemeEnd + 3) : value;
  const hostEnd = rest.indexOf('/');
  const labels = (hostEnd < 0 ? rest : rest.slice(0, hostEnd)).split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => letterOrDash.test(label)) &&
    (hostEnd < 0 || path.test(rest.slice(hostEnd)))
  );
}

/** Longer values are secret whatever they look like. */
const maxLooked = 4096;

/**
 * Whether a value of unknown meaning, such as a cookie or typed text, is likely to be a secret: long, or of mixed
 * characters. Words, numbers and host names are not: they would be masked wherever they occur.
 */
export function looksSecret(value: string): boolean {
  if (value.length > maxLooked) return true;
  if (value.length < 8 || /\s/.test(value) || isUrlLike(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((one) => one.test(value)).length;
  return value.length >= 16 || classes >= 2;
}
