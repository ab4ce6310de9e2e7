import type { Socket } from 'node:net';
import { ByteReader } from './byte-reader.ts';

/** A part of the screen, in pixels. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Opcodes and atoms of the X11 protocol: https://www.x.org/releases/current/doc/xproto/x11protocol.html */
const littleEndian = 0x6c;
const internAtom = 16;
const changeProperty = 18;
const getInputFocus = 43;
const cardinal = 6;

const propertyName = '_NET_WORKAREA';

/**
 * Tells programs on a display which part of the screen the system's bars leave free, as a window manager does. `socket`
 * is a connection to the X server, which is closed.
 */
export async function setWorkArea(socket: Socket, area: Area, signal: AbortSignal): Promise<void> {
  const onAbort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const reader = new ByteReader(socket);
    const root = await connect(socket, reader);
    const property = await atomOf(socket, reader, propertyName);
    socket.write(propertyRequest(root, property, area));
    socket.write(Buffer.of(getInputFocus, 0, 1, 0)); // Answered after the change, which is not.
    await reply(reader);
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

/** Returns the root window. */
async function connect(socket: Socket, reader: ByteReader): Promise<number> {
  socket.write(Buffer.of(littleEndian, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  const head = await reader.take(8);
  const setup = await reader.take(head.readUInt16LE(6) * 4);
  if (head[0] !== 1) throw new Error('The display refused the connection');
  const vendor = padded(setup.readUInt16LE(16));
  const formats = setup.readUInt8(21) * 8;
  return setup.readUInt32LE(32 + vendor + formats);
}

async function atomOf(socket: Socket, reader: ByteReader, name: string): Promise<number> {
  const request = Buffer.alloc(8 + padded(name.length));
  request.writeUInt8(internAtom, 0);
  request.writeUInt16LE(request.length / 4, 2);
  request.writeUInt16LE(name.length, 4);
  request.write(name, 8, 'latin1');
  socket.write(request);
  return (await reply(reader)).readUInt32LE(8);
}

function propertyRequest(window: number, property: number, { left, top, width, height }: Area): Buffer {
  const values = [left, top, width, height];
  const request = Buffer.alloc(24 + 4 * values.length);
  request.writeUInt8(changeProperty, 0);
  request.writeUInt16LE(request.length / 4, 2);
  request.writeUInt32LE(window, 4);
  request.writeUInt32LE(property, 8);
  request.writeUInt32LE(cardinal, 12);
  request.writeUInt8(32, 16);
  request.writeUInt32LE(values.length, 20);
  for (const [index, value] of values.entries()) request.writeUInt32LE(value, 24 + 4 * index);
  return request;
}

/** The requests here have answers of 32 bytes, and so do errors. */
async function reply(reader: ByteReader): Promise<Buffer> {
  const answer = await reader.take(32);
  if (answer[0] !== 1) throw new Error(`The display answered with error ${answer[1]}`);
  return answer;
}

const padded = (length: number): number => Math.ceil(length / 4) * 4;
