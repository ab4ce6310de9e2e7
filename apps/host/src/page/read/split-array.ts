const quote = 0x22;
const backslash = 0x5c;
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Gives the objects of an array in JSON one by one. `at` is where the array's bracket is. */
export function* splitArray(json: Buffer, at: number): Generator<Buffer> {
  let depth = 0;
  let start = at;
  for (let index = at; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === quote) index = endOfString(json, index);
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth === 2 && byte === openBrace) start = index;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 1 && byte === closeBrace) yield json.subarray(start, index + 1);
      if (depth === 0) return;
    }
  }
}

/** The place of the quote that ends the string; the end of the text if none does. */
function endOfString(json: Buffer, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1;
  return index;
}
