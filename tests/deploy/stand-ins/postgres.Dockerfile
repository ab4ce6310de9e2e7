# Stands in for postgres:17-bookworm: Debian's own PostgreSQL, which takes the same variables.
FROM localhost/turnpike-test/debian
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql \
  && install --directory --owner postgres --mode 700 /var/lib/postgresql/data
COPY --chmod=755 postgres-entrypoint /usr/local/bin/
USER postgres
VOLUME /var/lib/postgresql/data
# As the official image: clients are let go, and what was committed is on the disk.
STOPSIGNAL SIGINT
ENTRYPOINT ["postgres-entrypoint"]
