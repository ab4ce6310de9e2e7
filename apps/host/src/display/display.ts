export const screen = { width: 1920, height: 1080 } as const;

/** Of no device, so that a window can be given the size of any before the display is: see `fillScreen`. */
const firstHeight = screen.height + 1;

/** Where the X server finds the listening socket of its `DisplaySocket`. */
export const displayDescriptor = 8;
const readyDescriptor = 9;

/**
 * The X server, which is a VNC server too. It takes RFB connections from a listening socket that it is given as
 * inetd would, and so on no port and no path. Whoever reached that socket came through the host: it asks for no
 * password, and does not bar the host after a few that hung up early. A newcomer puts nobody out. What is merely
 * selected is not told: it would take the place of what a person has copied, just before they paste it there.
 */
const server = [
  `-geometry ${screen.width}x${firstHeight} -depth 24`,
  '-inetd -SecurityTypes None -UseBlacklist=0 -AlwaysShared -SendPrimary=0 -desktop Turnpike',
  `-nolisten tcp -noreset -displayfd ${readyDescriptor}`,
].join(' ');

export interface DisplayPlace {
  /** `:0` where no other display can be; otherwise the first that is free. */
  number: ':0' | '';
  /** For the pipe by which it says that it is ready. */
  directory: string;
}

/**
 * Lines of the start script that bring up the X display inside the sandbox and wait until it takes clients.
 * The server writes its number when it is ready; if it dies instead, the read ends and the start fails.
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
