import { copyFileSync, cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, root, storeDirectory } from './engine.ts';

const debian = 'localhost/turnpike-test/debian';

/** What the Dockerfiles and the compose file name, and what stands in for it here. */
const standIns = {
  node: 'docker.io/library/node:24-bookworm-slim',
  postgres: 'docker.io/library/postgres:17-bookworm',
  pgbouncer: 'docker.io/edoburu/pgbouncer:v1.24.1-p1',
  nginx: 'docker.io/library/nginx:1.28-bookworm',
};

/**
 * Makes the images of others that ours need, from Debian's packages: no registry of images is asked. Debian itself is
 * made once and kept; the rest is built from it, or taken from the layers of the last run.
 */
export async function buildStandIns(engine: Engine): Promise<void> {
  if (!(await engine.succeeds('podman', 'image', 'exists', debian))) await makeDebian(engine);
  const context = await mkdtemp(join(tmpdir(), 'stand-ins-'));
  try {
    cpSync(join(root, 'tests/deploy/stand-ins'), context, { recursive: true });
    copyFileSync(process.execPath, join(context, 'node'));
    copyFileSync(await npmPackage(engine), join(context, 'npm.tgz'));
    for (const [name, image] of Object.entries(standIns)) {
      const file = join(context, `${name}.Dockerfile`);
      await engine.show('podman', 'build', '--quiet', '--pull=never', '-f', file, '-t', image, context);
    }
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

export const systemdImage = 'localhost/turnpike-test/systemd';

/** A machine to run the units on; built on the host's image, so after it. */
export async function buildSystemd(engine: Engine): Promise<void> {
  const context = 'tests/deploy/stand-ins';
  const file = `${context}/systemd.Dockerfile`;
  await engine.show('podman', 'build', '--quiet', '--pull=never', '-f', file, '-t', systemdImage, context);
}

/** Debian 12 from the mirror that this machine's apt uses, trusting the authorities that this machine trusts. */
async function makeDebian(engine: Engine): Promise<void> {
  const targets = await engine.output(
    'apt-get',
    'indextargets',
    '--format',
    '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)',
    'Created-By: Packages',
  );
  const sources = targets
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([origin, , release]) => origin === 'Debian' && release?.startsWith('bookworm'));
  const mirror = sources.find(([, , release]) => release === 'bookworm')?.[1];
  if (!mirror) throw new Error('apt knows no mirror of Debian 12 (bookworm); add one to its sources');
  const directory = await mkdtemp(join(tmpdir(), 'debian-'));
  try {
    await engine.show(
      'debootstrap',
      '--variant=minbase',
      '--include=ca-certificates',
      'bookworm',
      directory,
      mirror,
    );
    const lines = sources.map(([, uri, release, component]) => `deb ${uri} ${release} ${component}\n`);
    writeFileSync(join(directory, 'etc/apt/sources.list'), lines.join(''));
    const authorities = 'etc/ssl/certs/ca-certificates.crt';
    if (existsSync(`/${authorities}`)) copyFileSync(`/${authorities}`, join(directory, authorities));
    rmSync(join(directory, 'var/cache/apt/archives'), { recursive: true });
    const tar = join(storeDirectory, 'debian.tar');
    await engine.show('tar', '--create', '--file', tar, '--one-file-system', '-C', directory, '.');
    await engine.show('podman', 'import', '--quiet', tar, debian);
    rmSync(tar);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The npm that Node 24 brings along; kept, so that it is fetched once. */
async function npmPackage(engine: Engine): Promise<string> {
  const file = join(storeDirectory, 'npm.tgz');
  if (!existsSync(file)) {
    const [{ filename }] = JSON.parse(
      await engine.output('npm', 'pack', 'npm@11', '--json', '--pack-destination', storeDirectory),
    );
    renameSync(join(storeDirectory, filename), file);
  }
  return file;
}
