/** The sandbox in which ffmpeg decodes pictures, whose content comes from pages: no network, no files, bounded memory and time. */

const ffmpeg = '/usr/bin/ffmpeg';
const bubblewrap = '/usr/bin/bwrap';

/** What must be installed to make videos. */
export const programs = [ffmpeg, bubblewrap] as const;

/** How large a video may be. It is held in memory until it is whole, so that players can seek in it. */
export const maxVideoBytes = 128 * 2 ** 20;
const maxMemoryBytes = 2 ** 30;
const maxProcessorSeconds = 600;

const size = { width: 1280, height: 720 };
const scaled =
  `scale=${size.width}:${size.height}:force_original_aspect_ratio=decrease,` +
  `pad=${size.width}:${size.height}:(ow-iw)/2:(oh-ih)/2,format=yuv420p`;

/** Reads JPEG files from standard input, and writes a WebM file to standard output. */
export function ffmpegCommand(framesPerSecond: number): string[] {
  const encode = [
    ...[ffmpeg, '-hide_banner', '-loglevel', 'error', '-nostdin', '-threads', '1'],
    ...['-f', 'mjpeg', '-framerate', String(framesPerSecond), '-i', 'pipe:0', '-an', '-vf', scaled],
    ...['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '1M', '-threads', '1'],
    ...['-f', 'webm', '/tmp/video.webm'],
  ];
  const limits = `ulimit -v ${maxMemoryBytes / 1024} && ulimit -t ${maxProcessorSeconds}`;
  return [
    ...[bubblewrap, '--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'lib', 'lib64'].flatMap((name) => ['--ro-bind-try', `/${name}`, `/${name}`]),
    // Debian's libraries of linear algebra, which ffmpeg's filters link, are found there.
    ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    ...['--dev', '/dev', '--size', String(maxVideoBytes), '--tmpfs', '/tmp', '--chdir', '/tmp'],
    ...['--', '/bin/sh', '-c', `${limits} && "$@" && exec cat /tmp/video.webm`, 'sh', ...encode],
  ];
}
