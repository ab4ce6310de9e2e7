/** Words that say that a value is a secret, or too personal to keep. */
const words = new Set(
  `pass pw pwd psw passwd passcode passphrase secret token auth oauth authorization authentication credential
  credentials session sess sid ssid sessid apikey key accesskey privatekey signature sig sign signed jwt bearer otp totp
  pin csrf xsrf nonce code ticket assertion saml samlresponse samlrequest cvv cvc card cardnumber iban ssn cookie`.split(
    /\s+/,
  ),
);
const parts =
  /passw|passphrase|secret|token|credential|api-?_?key|session|signature|authoriz|authentic|cookie|jwt/i;

/** Longer names tell by their start. */
const maxNameLength = 200;

/** Whether the name of a field, header or parameter says that its value is secret. */
export function isTelling(name: string): boolean {
  const start = name.slice(0, maxNameLength);
  if (parts.test(start)) return true;
  const split = start.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return split.split(/[^a-z]+/).some((word) => words.has(word));
}

const urlLike = /^(?:[a-z]+:\/\/)?[a-z-]+(?:\.[a-z-]+)+(?:\/[a-z/-]*)?$/;

/**
 * Whether a value of unknown meaning, such as a cookie or typed text, is likely to be a secret: long, or of mixed
 * characters. Words, numbers and host names are not: they would be masked wherever they occur.
 */
export function looksSecret(value: string): boolean {
  if (value.length < 8 || /\s/.test(value) || urlLike.test(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((one) => one.test(value)).length;
  return value.length >= 16 || classes >= 2;
}
