import type { Socket } from 'node:net';
import { ByteReader } from './byte-reader.ts';
import type { Display } from './display-socket.ts';

export interface ScreenSize {
  width: number;
  height: number;
}

const version = Buffer.from('RFB 003.008\n');
const noSecurity = 1;
const shared = 1;
const setEncodings = 2;
/** A full update: only that reports the size. */
const firstPixelRequest = Buffer.of(3, 0, 0, 0, 0, 0, 0, 1, 0, 1);
/** The server answers only with a pending request. */
const nextUpdateRequest = Buffer.of(3, 1, 0, 0, 0, 0, 0, 1, 0, 1);
const framebufferUpdate = 0;
const setDesktopSize = 251;
/** ExtendedDesktopSize, by which the server reports and sets sizes: https://github.com/rfbproto/rfbproto */
const extendedDesktopSize = -308;
const ownRequest = 1;
const resultNames = ['', 'resizing is prohibited', 'out of resources', 'the layout is invalid'];

export interface ResizeOptions {
  signal: AbortSignal;
  /** The display is resized when this has resolved. The connection to it is opened at once. */
  after?: Promise<unknown>;
}

/**
 * Resizes a running display over RFB, as a viewer would, so that no program is needed inside the sandbox. It takes a
 * few milliseconds. Windows stay as they are; see `fillScreen`.
 */
export async function resizeDisplay(
  display: Display,
  { width, height }: ScreenSize,
  { signal, after }: ResizeOptions,
): Promise<void> {
  signal.throwIfAborted();
  const socket = display.connect();
  const onAbort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const rfb = new ByteReader(socket);
    await greet(socket, rfb);
    socket.write(encodings(extendedDesktopSize));
    socket.write(firstPixelRequest);
    for await (const { reason, result, screenId } of desktopSizes(rfb)) {
      // The server reports its present screen first. The reason tells the answer to a request.
      if (reason !== ownRequest) {
        await after;
        socket.write(desktopSize({ width, height }, screenId));
        socket.write(nextUpdateRequest);
      } else if (result === 0) return;
      else throw new Error(`The display was not resized: ${resultNames[result] ?? result}`);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

async function greet(socket: Socket, rfb: ByteReader): Promise<void> {
  await rfb.take(version.length);
  socket.write(version);
  await rfb.take((await rfb.take(1)).readUInt8());
  socket.write(Buffer.of(noSecurity));
  if ((await rfb.take(4)).readUInt32BE() !== 0) throw new Error('The display refused the connection');
  socket.write(Buffer.of(shared));
  const init = await rfb.take(24);
  await rfb.take(init.readUInt32BE(20));
}

/** Reads the server's reports of its size. Pixels come raw, because no other encoding was announced. */
async function* desktopSizes(rfb: ByteReader) {
  for (;;) {
    const [type = 0] = await rfb.take(1);
    if (type !== framebufferUpdate) {
      await skipMessage(rfb, type);
      continue;
    }
    const count = (await rfb.take(3)).readUInt16BE(1);
    for (let index = 0; index < count; index++) {
      const rectangle = await rfb.take(12);
      if (rectangle.readInt32BE(8) === extendedDesktopSize) {
        const screens = await rfb.take(16 * (await rfb.take(4)).readUInt8());
        yield {
          reason: rectangle.readUInt16BE(0),
          result: rectangle.readUInt16BE(2),
          screenId: screens.readUInt32BE(0),
        };
      } else {
        await rfb.take(rectangle.readUInt16BE(4) * rectangle.readUInt16BE(6) * 4);
      }
    }
  }
}

async function skipMessage(rfb: ByteReader, type: number): Promise<void> {
  const bell = 2;
  const serverCutText = 3;
  if (type === bell) return;
  if (type !== serverCutText) throw new Error(`The display sent a message of unknown type ${type}`);
  await rfb.take((await rfb.take(7)).readUInt32BE(3));
}

function encodings(...list: number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * list.length);
  message.writeUInt8(setEncodings, 0);
  message.writeUInt16BE(list.length, 2);
  for (const [index, encoding] of list.entries()) message.writeInt32BE(encoding, 4 + 4 * index);
  return message;
}

function desktopSize({ width, height }: ScreenSize, screenId: number): Buffer {
  const message = Buffer.alloc(24);
  message.writeUInt8(setDesktopSize, 0);
  message.writeUInt16BE(width, 2);
  message.writeUInt16BE(height, 4);
  message.writeUInt8(1, 6);
  message.writeUInt32BE(screenId, 8);
  message.writeUInt16BE(width, 16);
  message.writeUInt16BE(height, 18);
  return message;
}
