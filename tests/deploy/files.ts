import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const root = join(import.meta.dirname, '../..');

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted();

/** A YAML file's documents; it throws on what a strict reader would not take. */
export function documents(path: string): any[] {
  return parseAllDocuments(read(path), { merge: true, strict: true, uniqueKeys: true }).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw new Error(`${path}: ${error.message}`);
    return document.toJS();
  });
}

/** A Dockerfile's instructions, lines that go on joined. */
export function instructions(path: string): { name: string; words: string[] }[] {
  return read(path)
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/);
      return { name, words };
    });
}

/** All pods that the manifests make, by what makes them. */
export interface Workload {
  name: string;
  kind: string;
  labels: Record<string, string>;
  spec: any;
}

export function manifests(): any[] {
  return filesOf('deploy/kubernetes/*.yaml').flatMap(documents);
}

export function workloads(): Workload[] {
  return manifests()
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ kind, metadata, spec }) => ({
      kind,
      name: metadata.name,
      labels: spec.template.metadata.labels,
      spec: spec.template.spec,
    }));
}
