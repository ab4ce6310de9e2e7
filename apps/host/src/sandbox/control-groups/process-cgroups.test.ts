import { describe, expect, it } from 'vitest';
import { parseProcessCgroups } from './process-cgroups.ts';

const v1Mounts = `
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;
const v2Mounts = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';

describe('the groups that a process is in', () => {
  it('are a directory per controller in version 1, also where version 2 is mounted beside it', () => {
    const membership = '8:pids:/\n4:memory:/system.slice/t.service\n1:cpu,cpuacct:/a:b\n0::/x\n';
    expect(parseProcessCgroups(membership, v1Mounts)).toEqual({
      version: 1,
      directories: {
        memory: '/sys/fs/cgroup/memory/system.slice/t.service',
        pids: '/sys/fs/cgroup/pids',
        cpu: '/sys/fs/cgroup/cpu,cpuacct/a:b',
      },
    });
  });

  it('are those of version 1 that there are', () => {
    const mounts = v1Mounts.split('\n').filter((line) => !line.includes('pids'));
    expect(parseProcessCgroups('4:memory:/\n0::/\n', mounts.join('\n'))).toEqual({
      version: 1,
      directories: { memory: '/sys/fs/cgroup/memory' },
    });
  });

  it('are one directory in version 2', () => {
    expect(parseProcessCgroups('0::/user.slice/run-1.scope\n', v2Mounts)).toEqual({
      version: 2,
      directory: '/sys/fs/cgroup/user.slice/run-1.scope',
    });
  });

  it('are found in a container that sees a part of the tree', () => {
    const mounts = v2Mounts.replace(' / /sys', ' /docker/abc /sys');
    expect(parseProcessCgroups('0::/docker/abc\n', mounts)).toEqual({
      version: 2,
      directory: '/sys/fs/cgroup',
    });
    expect(parseProcessCgroups('0::/docker/abc/x\n', mounts)).toEqual({
      version: 2,
      directory: '/sys/fs/cgroup/x',
    });
    expect(parseProcessCgroups('0::/elsewhere\n', mounts)).toBeUndefined();
    expect(parseProcessCgroups('0::/../other\n', v2Mounts)).toBeUndefined();
  });

  it('are none where none are mounted', () => {
    expect(parseProcessCgroups('', '')).toBeUndefined();
  });
});
