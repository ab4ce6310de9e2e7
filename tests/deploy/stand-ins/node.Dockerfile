# Stands in for node:24-bookworm-slim: Debian 12 with the Node that this repository pins, npm, and its user.
FROM localhost/turnpike-test/debian
ADD npm.tgz /usr/local/lib/node_modules/
COPY node /usr/local/bin/
RUN mv /usr/local/lib/node_modules/package /usr/local/lib/node_modules/npm \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && useradd --uid 1000 --user-group --create-home node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
