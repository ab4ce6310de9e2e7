import { Kbd, Modal, Table } from '@mantine/core';
import { useEffect, useRef } from 'react';

export interface Shortcuts {
  toggle(): void;
  step(ms: number): void;
  error(direction: 1 | -1): void;
  search(): void;
  help(): void;
}

const [step, longStep] = [1000, 10_000];

/** What has these keys for itself. */
const typing = 'input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]';
const pressed = 'button, a, summary, input[type=checkbox]';

/** Listens to the keys of the whole page, except where somebody types. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target.closest(`${typing}, [role=dialog], [role=menu]`)) return;
      if (event.key === ' ' && target.closest(pressed)) return;
      if (event.key.startsWith('Arrow') && target.closest('[role=tab]')) return;
      if (!act(latest.current, event)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Returns whether the key means something. */
function act(to: Shortcuts, { key, shiftKey }: KeyboardEvent): boolean {
  if (key === ' ') to.toggle();
  else if (key === 'ArrowLeft') to.step(shiftKey ? -longStep : -step);
  else if (key === 'ArrowRight') to.step(shiftKey ? longStep : step);
  else if (key === 'e') to.error(1);
  else if (key === 'E') to.error(-1);
  else if (key === '/') to.search();
  else if (key === '?') to.help();
  else return false;
  return true;
}

const keys: readonly [string[], string][] = [
  [['Space'], 'Play or pause'],
  [['←', '→'], 'One second back or ahead'],
  [['Shift', '←', '→'], 'Ten seconds back or ahead'],
  [['e'], 'Next error'],
  [['Shift', 'e'], 'Previous error'],
  [['/'], 'Search'],
  [['↑', '↓'], 'Rows of a list that has the focus'],
  [['?'], 'This help'],
];

export function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose(): void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Table aria-label="Keyboard shortcuts">
        <Table.Tbody>
          {keys.map(([names, what]) => (
            <Table.Tr key={what}>
              <Table.Td>
                {names.map((name) => (
                  <Kbd key={name} mr={4}>
                    {name}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
