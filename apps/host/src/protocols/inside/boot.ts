import { closeSync, mkdirSync, writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Inside, Serve } from './inside.ts';

/**
 * Run by Node inside the sandbox, from its text alone: no file of the host can be read there. The host connects to its
 * socket. The first connection brings the files of a program (`worker-files.ts`), which are loaded from memory, and is
 * then used for requests to the host. Each further connection says in its first line what it is for.
 */

/** Where it listens, in the session's home. */
const [, path = ''] = process.argv;

/** Here it says that it listens: see `descriptors` of `sandbox/start-script.ts`. */
const readyDescriptor = 7;

interface Header {
  /** Path, format and length of each file, in the order in which they follow. */
  files: [string, 'commonjs' | 'module' | 'json', number][];
  /** The path of each package that is imported by name. */
  packages: Record<string, string>;
  entry: string;
  options: Record<string, string>;
}

const root = 'file:///program/';
const maxLine = 2 ** 20;
const files = new Map<string, { format: string; source: Buffer }>();
const clients: Socket[] = [];
const dialed = new Map<number, (socket: Socket) => void>();
let onClient: (socket: Socket) => void = (socket) => clients.push(socket);
let dials = 0;
let isLoaded = false;

/** Reads a line, and leaves what follows in the socket. */
function readLine(socket: Socket, done: (line: string) => void): void {
  let read = Buffer.alloc(0);
  const onReadable = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf('\n');
      if (end === -1 && read.length > maxLine) socket.destroy();
      if (end === -1) continue;
      socket.off('readable', onReadable);
      if (end + 1 < read.length) socket.unshift(read.subarray(end + 1));
      done(read.toString('utf8', 0, end));
      return;
    }
  };
  socket.on('readable', onReadable);
}

function readBytes(socket: Socket, length: number, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let missing = length;
  const onReadable = () => {
    while (missing > 0) {
      const chunk: Buffer | null = socket.read(Math.min(missing, socket.readableLength || 1));
      if (chunk === null) return;
      chunks.push(chunk);
      missing -= chunk.length;
    }
    socket.off('readable', onReadable);
    done(Buffer.concat(chunks));
  };
  socket.on('readable', onReadable);
  onReadable();
}

/** A file of the program, as a specifier names it: with or without its extension, or a directory's index. */
function found(url: string): string | undefined {
  return ['', '.js', '/index.js'].map((end) => url + end).find((name) => files.has(name));
}

/** Only what begins like a path is one: `stream` is Node's, even where a file of that name is beside the importer. */
function urlOf(specifier: string, parent: string): string {
  if (specifier.startsWith('/')) return `file://${specifier}`;
  return specifier.startsWith('.')
    ? new URL(specifier, parent).href
    : (URL.parse(specifier, root)?.href ?? '');
}

function load(header: Header, content: Buffer): void {
  let at = 0;
  for (const [name, format, length] of header.files) {
    files.set(root + name, { format, source: content.subarray(at, at + length) });
    at += length;
  }
  registerHooks({
    resolve(specifier, context, next) {
      const named = header.packages[specifier];
      const url = named === undefined ? found(urlOf(specifier, context.parentURL ?? root)) : root + named;
      if (url === undefined) return next(specifier, context);
      return { url, format: files.get(url)?.format as string, shortCircuit: true };
    },
    load(url, context, next) {
      const file = files.get(url);
      if (!file) return next(url, context);
      return { ...file, format: file.format as 'module', shortCircuit: true };
    },
  });
}

async function start(control: Socket, header: Header): Promise<void> {
  const inside: Inside = {
    options: header.options,
    forwarder: process.env['FORWARDER_URL'] ?? '',
    onClient(listener) {
      onClient = listener;
      for (const socket of clients.splice(0)) listener(socket);
    },
    connectDevTools: () =>
      new Promise((resolve) => {
        dials += 1;
        dialed.set(dials, resolve);
        control.write(`${JSON.stringify({ dial: dials })}\n`);
      }),
  };
  const program: { default: Serve } = await import(root + header.entry);
  await program.default(inside);
  control.write(`${JSON.stringify({ ready: true })}\n`);
}

mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
const server = createServer({ pauseOnConnect: true }, (socket) => {
  socket.on('error', () => {}); // A close follows.
  if (!isLoaded) {
    isLoaded = true;
    socket.on('close', () => process.exit()); // The host is gone, or has no use for it.
    readLine(socket, (line) => {
      const header: Header = JSON.parse(line);
      const length = header.files.reduce((sum, file) => sum + file[2], 0);
      readBytes(socket, length, (content) => {
        socket.resume();
        load(header, content);
        start(socket, header).catch((error: unknown) => {
          socket.end(`${JSON.stringify({ failed: String(error).slice(0, 400) })}\n`);
        });
      });
    });
    return;
  }
  readLine(socket, (line) => {
    const [kind, id] = line.split(' ');
    if (kind === 'client') onClient(socket);
    else {
      socket.resume(); // Nothing is lost: the host speaks when it has been asked.
      dialed.get(Number(id))?.(socket);
      dialed.delete(Number(id));
    }
  });
});
// The host has given it up before it connected.
setTimeout(() => isLoaded || process.exit(), 60_000).unref();
server.listen(path, () => {
  writeSync(readyDescriptor, `${path}\n`);
  closeSync(readyDescriptor);
});
