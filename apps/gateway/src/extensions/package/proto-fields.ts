/** A field of a message in the Protocol Buffers format that has bytes. */
export interface ProtoField {
  number: number;
  bytes: Buffer;
}

export class ProtoError extends Error {}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const maxVarintBytes = 5;

/** Lists the fields of a message that have bytes; others are passed over. Throws a `ProtoError` if it is no message. */
export function protoFields(message: Buffer): ProtoField[] {
  const fields: ProtoField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let i = 0; i < maxVarintBytes; i++) {
      const byte = message[at++];
      if (byte === undefined) throw new ProtoError();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new ProtoError();
  };
  while (at < message.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === wireTypes.varint) varint();
    else if (type === wireTypes.fixed64) at += 8;
    else if (type === wireTypes.fixed32) at += 4;
    else if (type === wireTypes.bytes) {
      const length = varint();
      fields.push({ number: Math.floor(tag / 8), bytes: message.subarray(at, at + length) });
      at += length;
    } else throw new ProtoError();
    if (at > message.length) throw new ProtoError();
  }
  return fields;
}
