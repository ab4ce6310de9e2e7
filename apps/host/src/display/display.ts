export const screen = { width: 1920, height: 1080 } as const;

const readyFd = 8;

/**
 * Lines of the start script that bring up the X display inside the sandbox and wait until it takes clients.
 * The server writes its number when it is ready; if it dies instead, the read ends and the start fails.
 * It listens on its X socket alone: the viewer's RFB socket is given to it here when there is a viewer.
 */
export function displayScript(closedDescriptors: string): string[] {
  const server = [
    'Xtigervnc :0',
    `-geometry ${screen.width}x${screen.height} -depth 24`,
    '-rfbport -1 -SecurityTypes None -nolisten tcp -noreset',
    `-displayfd ${readyFd}`,
  ].join(' ');
  return [
    'mkfifo /tmp/display',
    `${server} ${readyFd}>/tmp/display ${closedDescriptors} &`,
    'read -r display </tmp/display || exit 1',
    'rm /tmp/display',
    'export DISPLAY=:0',
  ];
}
