# docker build -f deploy/docker/host.Dockerfile -t turnpike/host .
#
# It needs more of its container than the others, because bubblewrap and Chromium make namespaces in it:
#   --security-opt seccomp=unconfined     Docker's filter denies unprivileged user namespaces, mount and pivot_root
#   --security-opt apparmor=unconfined    Docker's profile denies mounts
#   --security-opt systempaths=unconfined a new /proc may only be mounted where none of /proc is masked
#   --security-opt no-new-privileges      nothing in it is set-uid
#   --cap-drop ALL, and back: SETUID, SETGID (a user id for each session), KILL (to end what runs under it),
#   CHOWN, DAC_OVERRIDE (its scratch), SYS_RESOURCE (so that the kernel takes a page before the host),
#   SYS_PTRACE (to open the files and the display of a browser under another user id)
#   --shm-size is of no matter: each sandbox has its own /dev/shm, counted as memory.
# The kernel must allow user namespaces to unprivileged users; `turnpike doctor` in the container says what is missing.
ARG BASE=turnpike/base
FROM ${BASE} AS base

# Debian's packages first: sources change more often. For their security updates build with --no-cache.
FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    bubblewrap \
    chromium \
    chromium-driver \
    chromium-l10n \
    fontconfig \
    fonts-comic-neue \
    fonts-crosextra-caladea \
    fonts-crosextra-carlito \
    fonts-dejavu-core \
    fonts-droid-fallback \
    fonts-inter \
    fonts-liberation \
    fonts-noto-color-emoji \
    fonts-open-sans \
    fonts-roboto-unhinted \
    iproute2 \
    tigervnc-standalone-server \
    tini \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production TURNPIKE_HOST_BIND=0.0.0.0 TURNPIKE_HOST_PRIVATE_BIND=0.0.0.0
WORKDIR /opt/turnpike
# What is imported is most of it, and seldom changes: a layer of its own.
COPY --from=base /opt/turnpike/node_modules node_modules
COPY --from=base /opt/turnpike/package.json ./
COPY --from=base /opt/turnpike/apps apps
COPY --from=base /opt/turnpike/packages packages
USER root
# CDP and live view; gateways; metrics.
EXPOSE 8081 8091 9464
# As process 1 it would have to collect what sandboxes leave.
ENTRYPOINT ["tini", "--", "node", "apps/cli/src/main.ts"]
CMD ["host"]
