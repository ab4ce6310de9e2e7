export const screen = { width: 1920, height: 1080 } as const;

/** A height that no device has, so that a window can get a device's size before the display does: see `fillScreen`. */
const firstHeight = screen.height + 1;

/** The X server's descriptor of its `DisplaySocket`. */
export const displayDescriptor = 8;
const readyDescriptor = 9;

/**
 * The arguments of the X server, which is a VNC server too. It inherits its listening socket as from inetd, and so has
 * no port and no path. Only the host can reach that socket: it needs no password, and the host is not blocked after
 * connections that closed early. A new viewer does not disconnect others. Text that is selected but not copied stays
 * in the browser: sent to the viewer's clipboard, it would replace what the viewer has copied.
 */
const server = [
  `-geometry ${screen.width}x${firstHeight} -depth 24`,
  '-inetd -SecurityTypes None -UseBlacklist=0 -AlwaysShared -SendPrimary=0 -desktop Turnpike',
  `-nolisten tcp -noreset -displayfd ${readyDescriptor}`,
].join(' ');

export interface DisplayPlace {
  /** `:0` in a sandbox; otherwise the first free one. */
  number: ':0' | '';
  /** For the pipe through which the server says that it is ready. */
  directory: string;
}

/**
 * Lines of the start script that start the X server inside the sandbox and wait until it is ready. The server then
 * writes its number. If it exits instead, the read ends and the start fails.
 */
export function displayScript(closedDescriptors: string, { number, directory }: DisplayPlace): string[] {
  const ready = `${directory}/display`;
  const given = `<&${displayDescriptor} ${displayDescriptor}<&- ${readyDescriptor}>${ready}`;
  return [
    `mkfifo ${ready}`,
    `Xtigervnc ${number} ${server} ${given} ${closedDescriptors} &`,
    `exec ${displayDescriptor}<&-`,
    `read -r display <${ready} || exit 1`,
    `rm ${ready}`,
    'export DISPLAY=:$display',
  ];
}
