import { readdir, readFile, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import type { Socket } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withoutTypes } from '@turnpike/process/without-types';

/** A package that the code of a program imports. Its files are not in the sandbox, so they are sent there. */
export interface ProgramPackage {
  /** As it is imported. */
  specifier: string;
  /** The package's directory. */
  root: string;
  /** Below `root`: the file that the specifier stands for. */
  main: string;
  /** Which files of it, by their paths below `root`, may be needed. Only `.js`, `.cjs`, `.mjs` and `.json` are asked. */
  includes(path: string): boolean;
  /** What its scripts are, where the package's own word is wrong for them. */
  format?: 'commonjs';
  /** Text at the end of the main file, for one that exports nothing. */
  appended?: string;
}

/** The code of a worker. */
export interface Program {
  /** Modules of this folder, by their paths below it. The first has the default export: see `inside/inside.ts`. */
  modules: readonly [string, ...string[]];
  packages: readonly ProgramPackage[];
}

/** The directory of an installed package, as code in the directory `from` finds it. */
export function packageRoot(name: string, from: string): string {
  const file = findPackageJSON(name, pathToFileURL(join(from, 'module.js')));
  if (file === undefined) throw new Error(`The package ${name} is not installed`);
  return dirname(file);
}

/** WebSockets, for programs that speak them. */
export const webSocketPackage: ProgramPackage = {
  specifier: 'ws',
  root: packageRoot('ws', import.meta.dirname),
  main: 'wrapper.mjs',
  includes: (path) => path === 'wrapper.mjs' || path.startsWith('lib/'),
};

type Format = 'commonjs' | 'module' | 'json';

interface ProgramFile {
  path: string;
  format: Format;
  read(): Promise<Buffer>;
  bytes: number;
}

const listed = new WeakMap<Program, Promise<ProgramFile[]>>();

/** Lists the files once. Their content is read from the disk each time. */
async function listFiles(program: Program): Promise<ProgramFile[]> {
  const known = listed.get(program);
  if (known) return await known;
  const files = Promise.all([ownFiles(program), ...program.packages.map(packageFiles)]).then((lists) =>
    lists.flat(),
  );
  listed.set(program, files);
  return await files;
}

/** Sends a program to `inside/boot.ts`, which describes the form. */
export async function sendProgram(
  socket: Socket,
  program: Program,
  options: Record<string, string>,
): Promise<void> {
  const files = await listFiles(program);
  const header = {
    files: files.map(({ path, format, bytes }) => [path, format, bytes]),
    packages: Object.fromEntries(
      program.packages.map(({ specifier, main }) => [specifier, `${specifier}/${main}`]),
    ),
    entry: program.modules[0],
    options,
  };
  socket.write(`${JSON.stringify(header)}\n`);
  for (const { read } of files) {
    const content = await read();
    if (socket.destroyed) throw new Error('The worker is gone');
    if (!socket.write(content)) await drained(socket);
  }
}

/** Resolves when the socket takes more, or is closed. */
export function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.once('drain', done).once('close', done);
  });
}

/** The program that a worker starts with, as plain JavaScript. */
export async function bootProgram(): Promise<string> {
  boot ??= readModule('inside/boot.ts').then(String);
  return await boot;
}

let boot: Promise<string> | undefined;

async function readModule(path: string): Promise<Buffer> {
  return Buffer.from(withoutTypes(await readFile(join(import.meta.dirname, path), 'utf8')));
}

async function ownFiles({ modules }: Program): Promise<ProgramFile[]> {
  return await Promise.all(
    modules.map(async (path) => {
      const content = await readModule(path);
      return { path, format: 'module' as const, read: async () => content, bytes: content.length };
    }),
  );
}

async function packageFiles({
  specifier,
  root,
  main,
  includes,
  format,
  appended = '',
}: ProgramPackage): Promise<ProgramFile[]> {
  const { type } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { type?: string };
  const usual = format ?? (type === 'module' ? 'module' : 'commonjs');
  const endOf = (path: string) => Buffer.from(path === main ? appended : '');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.(?:[cm]?js|json)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter(includes);
  return await Promise.all(
    paths.map(async (path) => ({
      path: `${specifier}/${path}`,
      format: formatOf(path, usual),
      read: async () => Buffer.concat([await readFile(join(root, path)), endOf(path)]),
      bytes: (await stat(join(root, path))).size + endOf(path).length,
    })),
  );
}

function formatOf(path: string, usual: Format): Format {
  if (path.endsWith('.json')) return 'json';
  if (path.endsWith('.cjs')) return 'commonjs';
  return path.endsWith('.mjs') ? 'module' : usual;
}
