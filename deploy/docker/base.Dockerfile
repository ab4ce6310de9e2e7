# What all parts have in common: Debian 12, the Node runtime, the sources and what they import.
# From the repository's root: docker build -f deploy/docker/base.Dockerfile -t turnpike/base .
FROM node:24-bookworm-slim AS manifests
WORKDIR /opt/turnpike
# Manifests first: sources change more often than what they import.
COPY package.json package-lock.json .npmrc ./
COPY apps/dashboard/package.json apps/dashboard/
COPY apps/gateway/package.json apps/gateway/
COPY apps/host/package.json apps/host/
COPY apps/proxy/package.json apps/proxy/
COPY apps/cli/package.json apps/cli/
COPY packages/client/package.json packages/client/
COPY packages/cluster/package.json packages/cluster/
COPY packages/contract/package.json packages/contract/
COPY packages/mcp/package.json packages/mcp/
COPY packages/process/package.json packages/process/
COPY packages/tunnel/package.json packages/tunnel/

FROM manifests AS dashboard
RUN npm install --no-save --no-audit --no-fund --ignore-scripts -w apps/dashboard
COPY tsconfig.json ./
COPY apps/dashboard apps/dashboard
COPY packages/contract packages/contract
COPY scripts/build-dashboard scripts/progress scripts/
RUN scripts/build-dashboard

FROM manifests AS modules
# The image has the runtime already.
RUN npm install --omit=dev --no-save --no-audit --no-fund --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/turnpike
COPY --from=modules /opt/turnpike /opt/turnpike
COPY apps apps
COPY packages packages
# The gateway serves the documents at /docs.
COPY docs docs
COPY README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY --from=dashboard /opt/turnpike/apps/dashboard/dist apps/dashboard/dist
# For a volume with the recordings of gateways: a new one takes over its owner.
RUN install -d -o 1000 -g 1000 -m 700 /var/lib/turnpike/recordings
# An ordinary user, the image's own; by number, so that a cluster can tell that it is not root.
USER 1000:1000
ENTRYPOINT ["node", "apps/cli/src/main.ts"]
